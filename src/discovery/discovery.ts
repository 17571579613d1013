import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import { isNotFound } from "../errors/predicates.js";
import { type Clock, systemClock } from "../internal/clock.js";
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

/** How long discovery is believed. */
export interface DiscoveryOptions {
  /** Milliseconds after which `catalog` asks the server again, which mostly answers that nothing changed. Default 60,000. */
  readonly maxAgeMs?: number;
  /** Where time comes from. Default: the real one. */
  readonly clock?: Clock;
}

/** What a server serves, asked for when it is needed and kept for a while. */
export interface Discovery {
  /** All that the server serves. `fresh` asks again even if the last answer is young. */
  catalog(options?: RequestOptions & { readonly fresh?: boolean }): Promise<ApiCatalog>;
  /**
   * The resource of an object's `apiVersion` and `kind`, of a kind of a group, or of a name as `deploy` or
   * `deployments.apps`. Asks the server again before it answers that there is none with `undefined`.
   */
  find(
    wanted: string | { readonly apiVersion?: string; readonly group?: string; readonly kind: string },
    options?: RequestOptions,
  ): Promise<DiscoveredResource | undefined>;
}

/** Order of parameters matters to servers: group, version, then `as`. */
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9";
const atOnce = 8;

/** Makes a discovery over a client. */
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
      // A server without the core group, as an extension on its own, has no /api.
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
            `discover ${version.group}/${version.version}: the server could not reach what serves it`,
          ),
        });
    }
    return { groups: found, failures, readAt: clock.now() };
  };

  const catalog: Discovery["catalog"] = async ({ fresh = false, ...request } = {}) => {
    if (!fresh && last !== undefined && clock.now() - last.readAt < maxAgeMs) return last;
    if (request.signal !== undefined) {
      // A flight that one caller can end is not shared.
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
      // Only what was not read just now can be out of date.
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
    throw new ProtocolError(`discover ${path}: the answer is no JSON`, { cause });
  }
  if (typeof document !== "object" || document === null)
    throw new ProtocolError(`discover ${path}: the answer is no object`);
  return document;
}

function kindOf(document: object): unknown {
  return (document as { kind?: unknown }).kind;
}

interface GroupNames {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The groups and versions of the older documents, or of one older and one newer. */
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
    names.push(
      ...readAggregated(groups as AggregatedDocument).map((g) => ({
        name: g.name,
        versions: g.versions.map((v) => v.version),
      })),
    );
  return names;
}

/** Reads every version by itself, some at a time; what fails is noted. */
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
        // What the caller ended says nothing of the server.
        if (signal?.aborted === true) throw error;
        failures.push({ group: job.name, version: job.version, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return names.map(({ name }) => ({
    name,
    versions: jobs.filter((job) => job.name === name).flatMap((job) => results.get(job) ?? []),
  }));
}
