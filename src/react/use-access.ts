import type { Client } from "../client/client.js";
import type { Kind } from "../meta/kind.js";
import { type AccessCache, type AccessSnapshot, createAccessCache } from "../stores/access-cache.js";
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

/**
 * Returns if the user may perform an action, to hide what isn't allowed. `allowed` is `undefined` until the server has
 * answered. All queries of a namespace share one review of its rules.
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
  { namespace, name, cache }: UseAccessOptions = {},
): AccessSnapshot {
  const { client } = useLiveStores();
  const [kind, subresource] = "plural" in resource ? [resource] : resource;
  return useStore((cache ?? cacheOf(client)).store({ verb, kind, subresource, namespace, name }));
}

function cacheOf(client: Client): AccessCache {
  const cache = caches.get(client) ?? createAccessCache(client);
  caches.set(client, cache);
  return cache;
}
