import { utf8Encode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import type { ServerRequest, ServerResponse } from "../http/http.js";
import { parseQuery } from "../http/query.js";
import type { RequestInfo } from "../http/request-info.js";
import { parseRequestInfo } from "../http/request-info.js";
import { cutStream, slowStream, withoutBookmarks } from "./streams.js";

/** Conditions on the requests that a fault applies to. All given conditions must match. */
export interface FaultMatch {
  /** Verb or verbs as in RBAC: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb?: string | readonly string[] | undefined;
  /** Plural name of the resource, such as `pods`. */
  readonly resource?: string | undefined;
  /** Namespace of the request. */
  readonly namespace?: string | undefined;
  /** Name of the object. */
  readonly name?: string | undefined;
  /** Matched against the path with its query. */
  readonly path?: RegExp | undefined;
}

/** Effect of a fault on a request. */
export type FaultEffect =
  /** Waits `ms` milliseconds before the request is handled. */
  | { readonly type: "delay"; readonly ms: number }
  /**
   * Fails with a Status. 429 and 503 carry `Retry-After` (default: 1 second); the reason defaults to the code's usual
   * one, such as `Expired` for 410.
   */
  | {
      readonly type: "status";
      readonly code: number;
      readonly reason?: string | undefined;
      readonly message?: string | undefined;
      readonly retryAfterSeconds?: number | undefined;
    }
  /** Fails with an HTML page, as proxies do. */
  | { readonly type: "html"; readonly code: number }
  /** Breaks the connection before the response, or after `afterBytes` bytes of its body. */
  | { readonly type: "reset"; readonly afterBytes?: number | undefined }
  /** Ends the body cleanly after `afterBytes` bytes, even in the middle of a value. */
  | { readonly type: "truncate"; readonly afterBytes: number }
  /** Sends the body in pieces of `pieceBytes`, one every `everyMs` milliseconds. */
  | { readonly type: "slow"; readonly pieceBytes: number; readonly everyMs: number }
  /** Answers a list from the state `revisions` revisions ago, like a server with a stale watch cache. */
  | { readonly type: "stale"; readonly revisions: number }
  /** Drops the bookmarks of a watch. Works for JSON watches only. */
  | { readonly type: "dropBookmarks" };

/** A fault to inject with `FaultPlan.add`. */
export interface Fault {
  /** Requests that the fault applies to. Default: all. */
  readonly match?: FaultMatch | undefined;
  /** Effect on those requests. */
  readonly effect: FaultEffect;
  /** Number of matching requests to let through first. Default: 0. */
  readonly after?: number | undefined;
  /** Maximum number of requests to hit. Default: no limit. */
  readonly times?: number | undefined;
  /** Probability, from 0 to 1, that a matching request is hit; drawn from `ApiServerOptions.faultSeed`. Default: 1. */
  readonly probability?: number | undefined;
}

/**
 * Faults that a server injects into requests.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 *
 * const server = createApiServer();
 * const remove = server.faults.add({
 *   match: { verb: "list", resource: "pods" },
 *   effect: { type: "status", code: 429, retryAfterSeconds: 2 },
 *   times: 1,
 * });
 * console.log((await server.handle(new Request("http://server/api/v1/pods"))).status, server.faults.hits); // 429
 * remove();
 * await server.close();
 * ```
 */
export interface FaultPlan {
  /**
   * Adds a fault and returns a function that removes it.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({ faultSeed: 7 });
   * server.faults.add({ effect: { type: "delay", ms: 50 }, probability: 0.1 });
   * server.faults.add({ match: { verb: "watch" }, effect: { type: "reset", afterBytes: 4096 }, after: 2 });
   * server.faults.clear();
   * await server.close();
   * ```
   */
  add(fault: Fault): () => void;
  /** Removes all faults. */
  clear(): void;
  /** Number of requests hit so far, by effect type. */
  readonly hits: Readonly<Record<string, number>>;
}

type Serve = (request: ServerRequest) => Promise<ServerResponse>;

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function matches(match: FaultMatch | undefined, info: RequestInfo, request: ServerRequest): boolean {
  if (match === undefined) return true;
  const { verb, resource, namespace, name, path } = match;
  if (verb !== undefined && !(typeof verb === "string" ? [verb] : verb).includes(info.verb)) return false;
  if (resource !== undefined && info.resource !== resource) return false;
  if (namespace !== undefined && info.namespace !== namespace) return false;
  if (name !== undefined && info.name !== name) return false;
  return path === undefined || path.test(request.query === "" ? request.path : `${request.path}?${request.query}`);
}

/** Creates a seeded pseudo-random generator (mulberry32) of numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Wraps a server's `serve` with a fault plan. `revision` returns the latest revision of its store. */
export function createFaultPlan(
  serve: Serve,
  clock: Clock,
  revision: () => number,
  seed: number,
): { readonly plan: FaultPlan; readonly serve: Serve } {
  const active = new Set<{ readonly fault: Fault; seen: number; hit: number }>();
  const hits: Record<string, number> = {};
  const random = createRandom(seed);
  const plan: FaultPlan = {
    hits,
    add(fault) {
      const entry = { fault, seen: 0, hit: 0 };
      active.add(entry);
      return () => active.delete(entry);
    },
    clear: () => active.clear(),
  };
  const faulty: Serve = async (request) => {
    if (active.size === 0) return serve(request);
    const info = parseRequestInfo(request.method, request.path, parseQuery(request.query));
    const effects: FaultEffect[] = [];
    for (const entry of active) {
      const { fault } = entry;
      if (!matches(fault.match, info, request)) continue;
      entry.seen += 1;
      if (
        entry.seen <= (fault.after ?? 0) ||
        entry.hit >= (fault.times ?? Infinity) ||
        random() >= (fault.probability ?? 1)
      )
        continue;
      entry.hit += 1;
      hits[fault.effect.type] = (hits[fault.effect.type] ?? 0) + 1;
      effects.push(fault.effect);
    }
    return apply(effects, request, info);
  };

  async function apply(
    effects: readonly FaultEffect[],
    request: ServerRequest,
    info: RequestInfo,
  ): Promise<ServerResponse> {
    // Effects on the body need its bytes.
    let forwarded = effects.length === 0 ? request : { ...request, internal: false };
    for (const effect of effects) {
      if (effect.type === "delay") await sleep(effect.ms, clock, request.signal);
      if (effect.type === "status") return statusResponse(effect);
      if (effect.type === "html")
        return {
          status: effect.code,
          headers: [["Content-Type", "text/html"]],
          body: utf8Encode(
            `<html><head><title>${effect.code}</title></head><body><h1>${effect.code}</h1></body></html>\n`,
          ),
        };
      if (effect.type === "reset" && effect.afterBytes === undefined)
        return { status: 502, headers: [], body: undefined, dropped: true };
      if (effect.type === "stale" && info.verb === "list")
        forwarded = { ...forwarded, query: staleQuery(forwarded.query, Math.max(1, revision() - effect.revisions)) };
    }
    const response = await serve(forwarded);
    for (const effect of effects) {
      if (effect.type === "reset" && effect.afterBytes !== undefined)
        response.body = cutStream(response.body, effect.afterBytes, true);
      if (effect.type === "truncate") response.body = cutStream(response.body, effect.afterBytes, false);
      if (effect.type === "slow") response.body = slowStream(response.body, effect.pieceBytes, effect.everyMs, clock);
      if (
        effect.type === "dropBookmarks" &&
        info.verb === "watch" &&
        !(response.body instanceof Uint8Array) &&
        response.body !== undefined
      )
        response.body = withoutBookmarks(response.body);
    }
    return response;
  }
  return { plan, serve: faulty };
}

/** Rewrites a list's query to read the state at a revision. */
function staleQuery(query: string, revision: number): string {
  const parameters = parseQuery(query);
  parameters.delete("continue");
  parameters.set("resourceVersion", String(revision));
  parameters.set("resourceVersionMatch", "Exact");
  return parameters.toString();
}

function statusResponse(effect: Extract<FaultEffect, { type: "status" }>): ServerResponse {
  const { code } = effect;
  const retryAfter = effect.retryAfterSeconds ?? (code === 429 || code === 503 ? 1 : undefined);
  const reason = effect.reason ?? reasons[code];
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: effect.message ?? `injected fault: status ${code}`,
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfter === undefined ? {} : { details: { retryAfterSeconds: retryAfter } }),
    code,
  };
  return {
    status: code,
    body: utf8Encode(`${JSON.stringify(status)}\n`),
    headers: [
      ["Content-Type", "application/json"],
      ...(retryAfter === undefined ? [] : [["Retry-After", String(retryAfter)] as [string, string]]),
    ],
  };
}
