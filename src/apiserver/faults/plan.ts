import { utf8Encode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import type { ServerRequest, ServerResponse } from "../http/http.js";
import { parseQuery } from "../http/query.js";
import type { RequestInfo } from "../http/request-info.js";
import { parseRequestInfo } from "../http/request-info.js";
import { cutStream, slowStream, withoutBookmarks } from "./streams.js";

/** Which requests a fault hits. All that is given must hold. */
export interface FaultMatch {
  /** Verb as authorization knows it: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb?: string | readonly string[];
  /** Plural name of the resource. */
  readonly resource?: string;
  /** Namespace. */
  readonly namespace?: string;
  /** Name of the object. */
  readonly name?: string;
  /** Tests the path with its query. */
  readonly path?: RegExp;
}

/** What happens to a request that is hit. */
export type FaultEffect =
  | { readonly type: "delay"; readonly ms: number }
  /** A failure Status: 429 and 503 with `Retry-After`, 410 as `Expired`. */
  | {
      readonly type: "status";
      readonly code: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** What a proxy answers: a page of HTML. */
  | { readonly type: "html"; readonly code: number }
  /** The connection breaks: before the answer, or after so many bytes of its body. */
  | { readonly type: "reset"; readonly afterBytes?: number }
  /** The body ends cleanly after so many bytes, wherever that is. */
  | { readonly type: "truncate"; readonly afterBytes: number }
  /** The body comes in pieces of this size, one every `everyMs`. */
  | { readonly type: "slow"; readonly pieceBytes: number; readonly everyMs: number }
  /** A read is answered from the state of so many revisions ago: the cache of a server that lags behind. */
  | { readonly type: "stale"; readonly revisions: number }
  /** A watch's bookmarks do not arrive. JSON watches only. */
  | { readonly type: "dropBookmarks" };

/** One fault of a plan. */
export interface Fault {
  /** Which requests it is for. Default: all. */
  readonly match?: FaultMatch;
  /** What becomes of them. */
  readonly effect: FaultEffect;
  /** How many of the matching requests pass first. Default 0. */
  readonly after?: number;
  /** How many are hit. Default: all. */
  readonly times?: number;
  /** Share of the others that is hit, from 0 to 1; drawn from the plan's seed. Default 1. */
  readonly probability?: number;
}

/** A running plan. */
export interface FaultPlan {
  /** Adds a fault; answers with what takes it out again. */
  add(fault: Fault): () => void;
  /** Takes all out. */
  clear(): void;
  /** How many requests were hit, by the effect's type. */
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

/** A generator of numbers from 0 to 1 that gives the same ones for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Puts faults before a server. `revision` tells the latest revision of its store. */
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
    let forwarded = request;
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

/** A list is read as it was at a revision. */
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
    message: effect.message ?? `the request was made to fail with ${code}`,
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
