import { ConfigError } from "../../errors/errors.js";
import type { BuiltinGroupVersion } from "./resource-table.js";
import { apiVersionOf, type ServedResource } from "./resources.js";

/**
 * Name of a feature gate that the embedded server implements, as in kube-apiserver:
 *
 * - `WatchList`: streaming lists, which are watches that begin with the current objects and a bookmark
 * - `CBORServingAndStorage`: requests and responses in CBOR
 * - `ShardedListAndWatch`: the parameter `shardSelector` of lists and watches
 * - `APIResponseCompression`: responses compressed with gzip
 * - `PodLogsQuerySplitStreams`: the parameter `stream` of logs
 */
export type FeatureGate =
  | "APIResponseCompression"
  | "CBORServingAndStorage"
  | "PodLogsQuerySplitStreams"
  | "ShardedListAndWatch"
  | "WatchList";

const gates: Readonly<Record<FeatureGate, boolean>> = {
  WatchList: true,
  CBORServingAndStorage: true,
  ShardedListAndWatch: true,
  APIResponseCompression: true,
  PodLogsQuerySplitStreams: true,
};

/** Options for what the server offers, to test a client against an older or smaller one. */
export interface FeatureOptions {
  /**
   * Feature gates to switch off, by their names in kube-apiserver. Default: all on.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const old = createApiServer({
   *   featureGates: { WatchList: false, CBORServingAndStorage: false },
   *   runtimeConfig: { "api/alpha": false, "api/beta": false },
   *   watchCache: false,
   * });
   * await old.close();
   * ```
   */
  readonly featureGates?: Readonly<Partial<Record<FeatureGate, boolean>>> | undefined;
  /**
   * Built-in API versions to serve: `GROUP/VERSION`, `v1`, or `api/ga`, `api/beta`, `api/alpha` and `api/all` for many.
   * The most specific key counts. Default: all, so that a test can use any built-in kind. `clusterDefaults` has the
   * versions of a cluster, which serves alpha and beta versions only on request.
   */
  readonly runtimeConfig?: Readonly<Record<string, boolean>> | undefined;
  /**
   * False to serve lists and watches of all kinds like a kube-apiserver without watch cache: from the store, and without
   * bookmarks. Default: true.
   */
  readonly watchCache?: boolean | undefined;
}

/**
 * Features of a cluster whose kube-apiserver was started without `--runtime-config` and `--feature-gates`: no alpha and
 * beta versions of the API, no CBOR, no sharded lists, no streams of logs. By default, the embedded server has them all.
 *
 * @example
 * ```ts
 * import { clusterDefaults, createApiServer } from "kubestream/apiserver";
 *
 * const server = createApiServer({ ...clusterDefaults });
 * const response = await server.handle(new Request("http://server/apis/storage.k8s.io/v1beta1"));
 * console.log(response.status); // 404
 * await server.close();
 * ```
 */
export const clusterDefaults: Required<Pick<FeatureOptions, "featureGates" | "runtimeConfig">> = {
  featureGates: { CBORServingAndStorage: false, PodLogsQuerySplitStreams: false, ShardedListAndWatch: false },
  runtimeConfig: { "api/alpha": false, "api/beta": false },
};

/** Versions that the server itself uses. */
const needed = [
  "v1",
  "apiextensions.k8s.io/v1",
  "apiregistration.k8s.io/v1",
  "discovery.k8s.io/v1",
  "networking.k8s.io/v1",
  "policy/v1",
];
const levels = ["api/all", "api/ga", "api/beta", "api/alpha"];

/** Returns the built-in versions that `runtimeConfig` leaves. Throws a `ConfigError` that names an invalid key. */
export function servedVersions(
  all: readonly BuiltinGroupVersion[],
  { runtimeConfig = {} }: FeatureOptions,
): BuiltinGroupVersion[] {
  const names = new Set(all.map(apiVersionOf));
  for (const [key, value] of Object.entries(runtimeConfig)) {
    const option = `runtimeConfig[${JSON.stringify(key)}]`;
    if (!levels.includes(key) && !names.has(key)) throw new ConfigError(`${option}: unknown API version`);
    if (typeof value !== "boolean") throw new ConfigError(`${option}: must be true or false`);
  }
  if (Object.keys(runtimeConfig).length === 0) return [...all];
  return all.filter((each) => {
    const name = apiVersionOf(each);
    const level = /alpha/.test(each.version) ? "api/alpha" : /beta/.test(each.version) ? "api/beta" : "api/ga";
    const key = [name, level, "api/all"].find((candidate) => runtimeConfig[candidate] !== undefined);
    const served = key === undefined || runtimeConfig[key]!;
    if (!served && needed.includes(name))
      throw new ConfigError(`runtimeConfig[${JSON.stringify(key)}]: the server can't run without ${name}`);
    return served;
  });
}

/** True for the name of a feature gate that the server implements. */
export function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(gates, name);
}

/** True if a feature gate is on. */
export function isEnabled({ featureGates = {} }: FeatureOptions, gate: FeatureGate): boolean {
  return featureGates[gate] ?? gates[gate];
}

/**
 * Returns a function that removes the features that are off from a new resource, in place, or `undefined` if all are
 * on. Throws a `ConfigError` for an unknown gate.
 */
export function featureFilter(options: FeatureOptions): ((resource: ServedResource) => void) | undefined {
  for (const [name, value] of Object.entries(options.featureGates ?? {})) {
    const option = `featureGates[${JSON.stringify(name)}]`;
    if (!isFeatureGate(name))
      throw new ConfigError(`${option}: unknown feature gate; expected one of ${Object.keys(gates).join(", ")}`);
    if (value !== undefined && typeof value !== "boolean") throw new ConfigError(`${option}: must be true or false`);
  }
  const changes: ((resource: ServedResource) => void)[] = [];
  if (options.watchCache === false) changes.push((resource) => Object.assign(resource, { uncached: true }));
  if (!isEnabled(options, "CBORServingAndStorage")) changes.push(removeCbor);
  const initialEvents = isEnabled(options, "WatchList");
  const shards = isEnabled(options, "ShardedListAndWatch");
  if (!initialEvents || !shards)
    changes.push((resource) => Object.assign(resource, { listing: { initialEvents, shards } }));
  if (changes.length === 0) return undefined;
  return (resource) => {
    for (const change of changes) change(resource);
  };
}

const cborApplyType = "application/apply-patch+cbor";

function removeCbor(resource: ServedResource): void {
  const { encodings, patchType, patchTypes } = resource;
  Object.assign(resource, {
    encodings: encodings.filter((encoding) => encoding !== "cbor"),
    patchTypes: patchTypes.filter((type) => type !== cborApplyType),
    patchType(this: ServedResource, contentType: string | undefined): ReturnType<ServedResource["patchType"]> {
      const refused = contentType?.trim().toLowerCase().startsWith(cborApplyType) === true;
      return patchType.call(this, refused ? `${cborApplyType} (off)` : contentType);
    },
  } satisfies Partial<ServedResource>);
}
