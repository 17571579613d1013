import type { Codec } from "../codec/codec.js";
import type { Clock } from "../internal/clock.js";
import type { Kind, PatchType, Scope } from "../meta/kind.js";
import type { Warning } from "../meta/options.js";
import type { Interceptor, Transport } from "../transport/transport.js";
import { Requester } from "./call/requester.js";
import { createShared } from "./call/shared.js";
import { logWarnings } from "./call/warnings.js";
import { cacheKeyOf } from "./resource/calls.js";
import type { ListerWatcher } from "./resource/collection.js";
import type { ObjectType } from "./resource/collection-handle.js";
import { streamList, streamWatch } from "./resource/collection-streams.js";
import { describeCollection, groupVersionResourceOf } from "./resource/describe.js";
import { Encodings } from "./resource/encodings.js";
import { collectionPath } from "./resource/paths.js";
import { objectView } from "./resource/views.js";

/** Options for `createListerWatcher`. */
export interface ListerWatcherOptions {
  /** Transport that sends the requests. Closing it ends every request; the informer then closes, too. */
  readonly transport: Transport;
  /** Namespace to read. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** Interceptors around every request, such as `bearerToken`. The first one is the outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Encodings in order of preference. JSON is appended if it is missing. Default: JSON only. */
  readonly codecs?: readonly Codec[] | undefined;
  /** `User-Agent` header. Default `kubestream`. */
  readonly userAgent?: string | undefined;
  /** Callback for every warning the server sends. Default: logs each text once. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Random number generator with results in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Creates a read-only source for an informer: it lists and watches the objects of a kind and can do nothing else. A page
 * that only shows objects loads a sixth less code with it than with a client.
 *
 * Throws a `TypeError` for an invalid namespace, and for a namespace with a cluster-scoped kind.
 *
 * @example
 * ```ts
 * import { createListerWatcher, fetchTransport } from "kubestream";
 * import { createInformer } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * const transport = fetchTransport({ url: "/clusters/prod" });
 * const informer = createInformer(createListerWatcher(Pod, { transport, namespace: "web" }));
 * informer.addHandler((change) => console.log(change.type, change.key));
 * await informer.synced();
 * ```
 */
export function createListerWatcher<T, S extends Scope, Sub extends object, P extends PatchType>(
  kind: Kind<T, S, Sub, P>,
  options: ListerWatcherOptions,
): ListerWatcher<ObjectType<T>> {
  const { namespace, userAgent = "kubestream", onWarning = logWarnings() } = options;
  const description = describeCollection(kind, namespace);
  if (namespace !== undefined && kind.scope === "Cluster")
    throw new TypeError(`${description} are cluster-scoped: namespace isn't available`);
  const requester = new Requester(createShared(options), {
    headers: { "user-agent": userAgent },
    onWarning,
  });
  const target = {
    kind,
    namespaceName: namespace,
    description,
    path: collectionPath(kind, namespace),
    view: objectView,
    ofKind: true,
    encodings: new Encodings(requester.shared, kind, false),
  };
  return {
    description,
    cacheScope: requester,
    cacheKey: cacheKeyOf(target),
    groupVersionResource: groupVersionResourceOf(kind),
    listChunks: (listOptions = {}) => streamList(requester, target, listOptions),
    watch: (watchOptions = {}) => streamWatch(requester, target, watchOptions),
  } as ListerWatcher<ObjectType<T>>;
}
