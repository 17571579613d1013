import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react";
import type { Client } from "../client/client.js";
import { createLiveStores, type LiveStores } from "../stores/live-stores.js";

/** Properties of `KubestreamProvider`: a client, or stores that you created with options of your own. */
export type KubestreamProviderProps = {
  /** Elements that use the hooks. */
  readonly children?: ReactNode | undefined;
} & (
  | {
      /** Client whose stores the hooks use. One set of stores per client is kept as long as the client. */
      readonly client: Client;
      readonly stores?: undefined;
    }
  | {
      /** Stores that the hooks use. */
      readonly stores: LiveStores;
      readonly client?: undefined;
    }
);

const context = createContext<LiveStores | undefined>(undefined);
// Kept outside the component, which React may render and discard before it mounts.
const storesByClient = new WeakMap<Client, LiveStores>();

/**
 * Provides live stores to the hooks below it. Use one provider per cluster; the nearest one applies.
 *
 * @example
 * ```ts
 * import { createElement } from "react";
 * import { createClient, fetchTransport } from "kubestream";
 * import { KubestreamProvider } from "kubestream/react";
 *
 * const client = createClient({ transport: fetchTransport({ url: "https://dashboard.example/api/cluster" }) });
 * export const app = createElement(KubestreamProvider, { client }, "…");
 * ```
 */
export function KubestreamProvider({ client, stores, children }: KubestreamProviderProps): ReactElement {
  return createElement(context.Provider, { value: stores ?? storesOf(client) }, children);
}

/** Returns the stores of the nearest `KubestreamProvider`. Throws a `TypeError` without one. */
export function useLiveStores(): LiveStores {
  const stores = useContext(context);
  if (stores === undefined) throw new TypeError("a hook of kubestream/react needs a KubestreamProvider above it");
  return stores;
}

function storesOf(client: Client): LiveStores {
  const stores = storesByClient.get(client) ?? createLiveStores(client);
  storesByClient.set(client, stores);
  return stores;
}
