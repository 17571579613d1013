import { useEffect, useState } from "react";
import type { Client } from "../client/client.js";
import type { Kind } from "../meta/kind.js";
import type { AccessCache, AccessSnapshot } from "../stores/access-cache.js";
import type { ExternalStore } from "../stores/external-store.js";
import { useLiveStores } from "./provider.js";
import { useStore } from "./use-store.js";

/** Options for `useAccess`. */
export interface UseAccessOptions {
  /** Namespace. Default: all namespaces, or the cluster. */
  readonly namespace?: string | undefined;
  /** Name of the object. Default: all objects. */
  readonly name?: string | undefined;
  /** Cache of your own, such as one with another lifetime. Default: one per client. */
  readonly cache?: AccessCache | undefined;
}

const caches = new WeakMap<Client, AccessCache>();
const unknown: AccessSnapshot = { allowed: undefined, error: undefined };
const noStore: ExternalStore<AccessSnapshot> = {
  getSnapshot: () => unknown,
  getServerSnapshot: () => unknown,
  subscribe: () => () => undefined,
};

/**
 * Returns if the user may perform an action, to hide what isn't allowed. `allowed` is `undefined` until the server has
 * answered. All queries of a namespace share one review of its rules. The code of the default cache is imported with the
 * first query; `error` is set if that fails.
 *
 * @example
 * ```ts
 * import { createElement, type ReactElement } from "react";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { useAccess } from "kubestream/react";
 *
 * export function LogsButton({ namespace }: { namespace: string }): ReactElement | null {
 *   const { allowed } = useAccess("get", [Pod, "log"], { namespace });
 *   return allowed === true ? createElement("button", null, "logs") : null;
 * }
 * ```
 */
export function useAccess(
  verb: string,
  resource: Kind | readonly [Kind, string],
  options: UseAccessOptions = {},
): AccessSnapshot {
  const { client } = useLiveStores();
  const { namespace, name, cache = caches.get(client) } = options;
  const [pending, setPending] = useState(unknown);
  useEffect(() => {
    if (cache === undefined)
      loadCache(client).then(
        () => setPending({ ...unknown }),
        (error: unknown) => setPending({ allowed: undefined, error }),
      );
  }, [client, cache]);
  const [kind, subresource] = "plural" in resource ? [resource] : resource;
  const answer = useStore(cache?.store({ verb, kind, subresource, namespace, name }) ?? noStore);
  return cache === undefined ? pending : answer;
}

/** Creates the client's cache. Its code is loaded on demand, because pages show their data first. */
async function loadCache(client: Client): Promise<void> {
  const module = await import("../stores/access-cache.js");
  if (!caches.has(client)) caches.set(client, module.createAccessCache(client));
}
