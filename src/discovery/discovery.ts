import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import { isNotFound } from "../errors/predicates.js";
import { type Clock, systemClock } from "../internal/clock.js";
import { pushAll } from "../internal/push-all.js";
import type { RequestOptions } from "../meta/options.js";
import {
  type ApiCatalog,
  type DiscoveredGroup,
  type DiscoveredResource,
  type DiscoveredVersion,
  type DiscoveryFailure,
  findByKind,
  findByName,
} from "./api-catalog.js";
import { type AggregatedDocument, readAggregated, readResourceList } from "./discovery-documents.js";

/** Options for `createDiscovery`. */
export interface DiscoveryOptions {
  /**
   * Milliseconds after which `catalog` revalidates its cache with the server (usually answered with 304). Default
   * 60,000.
   */
  readonly maxAgeMs?: number | undefined;
  /** Clock. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Cached discovery of the APIs that a server serves. */
export interface Discovery {
  /** Returns the catalog, from the cache if it is recent enough. `fresh` always revalidates it. */
  catalog(options?: RequestOptions & { readonly fresh?: boolean | undefined }): Promise<ApiCatalog>;
  /**
   * Finds a resource by an object's `apiVersion` and `kind`, by the kind of a group, or by a name such as `deploy` or
   * `deployments.apps`. If the cache doesn't have it, revalidates the cache before it returns `undefined`.
   */
  find(
    wanted:
      | string
      | { readonly apiVersion?: string | undefined; readonly group?: string | undefined; readonly kind: string },
    options?: RequestOptions,
  ): Promise<DiscoveredResource | undefined>;
}

/** Servers require this order of parameters: group, version, then `as`. */
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9";
const concurrency = 8;

/**
 * Creates a discovery for a client's server.
 *
 * @example
 * ```ts
 * import { createDiscovery } from "kubestream/discovery";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const resource = await createDiscovery(client).find("deployments.apps");
 * if (resource !== undefined) {
 *   const { items } = await client.resource(resource).namespace("web").list();
 *   console.log(items.map(({ metadata }) => metadata?.name));
 * }
 * ```
 */
export function createDiscovery(client: Client, options: DiscoveryOptions = {}): Discovery {
  const { maxAgeMs = 60_000, clock = systemClock } = options;
  const cached = new Map<string, { readonly etag: string; readonly document: object }>();
  let last: ApiCatalog | undefined;
  let running: Promise<ApiCatalog> | undefined;

  const read = async (path: string, accept: string, request: RequestOptions): Promise<object> => {
    const known = cached.get(path);
    const response = await client.request({
      ...request,
      path,
      accept,
      action: `discover ${path}`,
      ...(known && { headers: { ...request.headers, "if-none-match": known.etag }, allow: [304] }),
    });
    if (response.status === 304 && known) {
      await response.bytes();
      return known.document;
    }
    const document = await documentOf(response, path);
    const etag = response.headers.get("etag");
    if (etag !== null) cached.set(path, { etag, document });
    else cached.delete(path);
    return document;
  };

  const load = async (request: RequestOptions): Promise<ApiCatalog> => {
    const [core, groups] = await Promise.all([
      // A server without the core group, such as a standalone extension, has no /api.
      read("/api", aggregated, request).catch((error: unknown) => {
        if (isNotFound(error)) return { kind: "APIGroupDiscoveryList", items: [] };
        throw error;
      }),
      read("/apis", aggregated, request),
    ]);
    const failures: DiscoveryFailure[] = [];
    const found: DiscoveredGroup[] =
      kindOf(core) === "APIGroupDiscoveryList" && kindOf(groups) === "APIGroupDiscoveryList"
        ? [...readAggregated(core), ...readAggregated(groups)]
        : await readEach(
            groupVersionsOf(core, groups),
            (path) => read(path, "application/json", request),
            failures,
            request.signal,
          );
    for (const version of found.flatMap((group) => group.versions)) {
      if (version.stale)
        failures.push({
          group: version.group,
          version: version.version,
          error: new ProtocolError(
            `discover ${version.group}/${version.version}: the server couldn't reach the extension that serves it`,
          ),
        });
    }
    return { groups: found, failures, readAt: clock.now() };
  };

  const catalog: Discovery["catalog"] = async ({ fresh = false, ...request } = {}) => {
    if (!fresh && last !== undefined && clock.now() - last.readAt < maxAgeMs) return last;
    if (request.signal !== undefined) {
      // A request that one caller can abort isn't shared with others.
      last = await load(request);
      return last;
    }
    running ??= load(request)
      .then((loaded) => (last = loaded))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    catalog,
    async find(wanted, request = {}) {
      const look = (known: ApiCatalog): DiscoveredResource | undefined =>
        typeof wanted === "string" ? findByName(known, wanted) : findByKind(known, wanted);
      const before = last;
      const known = await catalog(request);
      const found = look(known);
      // Revalidate only if the catalog came from the cache.
      return found ?? (known === before ? look(await catalog({ ...request, fresh: true })) : undefined);
    },
  };
}

async function documentOf(response: { text(): Promise<string> }, path: string): Promise<object> {
  let document: unknown;
  try {
    document = JSON.parse(await response.text());
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ProtocolError(`discover ${path}: the response is not valid JSON`, { cause });
  }
  if (typeof document !== "object" || document === null)
    throw new ProtocolError(`discover ${path}: the response is not a JSON object`);
  return document;
}

function kindOf(document: object): unknown {
  return (document as { kind?: unknown }).kind;
}

interface GroupNames {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Returns groups and versions if at least one document has the older format. */
function groupVersionsOf(core: object, groups: object): GroupNames[] {
  const names: GroupNames[] = [];
  const versions =
    (core as { versions?: readonly string[] }).versions ?? readAggregated(core)[0]?.versions.map((v) => v.version);
  if (versions !== undefined && versions.length > 0) names.push({ name: "", versions });
  const listed = (
    groups as {
      groups?: readonly {
        name: string;
        preferredVersion?: { version: string };
        versions: readonly { version: string }[];
      }[];
    }
  ).groups;
  for (const group of listed ?? []) {
    const preferred = group.preferredVersion?.version;
    const all = group.versions.map((v) => v.version);
    names.push({
      name: group.name,
      versions: preferred === undefined ? all : [preferred, ...all.filter((v) => v !== preferred)],
    });
  }
  if (listed === undefined)
    pushAll(
      names,
      readAggregated(groups as AggregatedDocument).map((g) => ({
        name: g.name,
        versions: g.versions.map((v) => v.version),
      })),
    );
  return names;
}

/** Reads every version separately, with limited concurrency, and records failures. */
async function readEach(
  names: readonly GroupNames[],
  read: (path: string) => Promise<object>,
  failures: DiscoveryFailure[],
  signal: AbortSignal | undefined,
): Promise<DiscoveredGroup[]> {
  const jobs = names.flatMap(({ name, versions }) => versions.map((version) => ({ name, version })));
  const results = new Map<object, DiscoveredVersion>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
      try {
        const document = await read(job.name === "" ? `/api/${job.version}` : `/apis/${job.name}/${job.version}`);
        results.set(job, readResourceList(job.name, job.version, document));
      } catch (error) {
        // An abort by the caller isn't a failure of the server.
        if (signal?.aborted === true) throw error;
        failures.push({ group: job.name, version: job.version, error });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return names.map(({ name }) => ({
    name,
    versions: jobs.filter((job) => job.name === name).flatMap((job) => results.get(job) ?? []),
  }));
}
