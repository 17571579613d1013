import { setTimeout as delay } from "node:timers/promises";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import type { Difference } from "../compare.js";
import type { Answer, Server } from "../servers.js";
import type { Draw } from "./draw.js";
import { drawFrom } from "./draw.js";
import type { ComparableAnswer } from "./identities.js";
import { comparableParts, Identities } from "./identities.js";
import type { Json, RandomKind } from "./kinds.js";
import { definitions, randomKinds } from "./kinds.js";
import { forget, get, list, remove, removeAll, subresource } from "./others.js";
import type { RandomRequest, SequenceState } from "./sequence.js";
import { collectionOf, liveKey } from "./sequence.js";
import { apply, create, patch, update } from "./writes.js";

/** The two servers to compare. */
export interface Servers {
  readonly real: Server;
  readonly own: Server;
}

/** Request with a difference in its answers. */
export interface Finding {
  /** Index of the step in the sequence; -1 for the watches and lists at the end. */
  readonly step: number;
  readonly request: string;
  readonly differences: readonly Difference[];
}

/** Result of a sequence. */
export interface Run {
  readonly seed: number;
  /** Requests that were sent. */
  readonly requests: readonly string[];
  /** First step with a difference, if any. */
  readonly finding?: Finding;
}

/** Options for running a sequence. */
export interface RunOptions {
  readonly seed: number;
  /** Steps to run. Default: all. */
  readonly steps?: readonly number[];
  /** Kinds to draw from. Default: all. */
  readonly kinds?: readonly RandomKind[];
  /** True if no other sequence runs, so that history can be discarded. */
  readonly alone?: boolean;
  /** True to skip the watches and lists at the end. */
  readonly skipFinalReads?: boolean;
}

const mediaTypes = {
  json: "application/json",
  protobuf: "application/vnd.kubernetes.protobuf",
  cbor: "application/cbor",
} as const;
let runs = 0;

/** Returns the number of steps in the sequence of a seed. */
export function lengthOf(seed: number): number {
  return 5 + Math.floor(drawFrom(seed, 1).number() * 26);
}

function encoded(request: RandomRequest, text: string | undefined): string | Uint8Array | undefined {
  if (text === undefined || request.encode === undefined) return text;
  try {
    return (request.encode === "cbor" ? cbor() : protobuf()).encode(JSON.parse(text) as object);
  } catch {
    // The encoding can't express the value: send it unchanged, with the wrong content type.
    return text;
  }
}

async function ask(server: Server, request: RandomRequest, path: string, text: string | undefined): Promise<Answer> {
  const token = request.token ?? "admin-token";
  const headers = {
    "user-agent": "probe/1",
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...(request.json === undefined ? {} : { "content-type": mediaTypes[request.encode ?? "json"] }),
    ...request.headers,
  };
  return server.send(request.method, path, headers, encoded(request, text));
}

class Sequence {
  readonly #servers: Servers;
  readonly #options: RunOptions;
  readonly #identities = new Identities();
  readonly #state: SequenceState;
  readonly requests: string[] = [];
  /** True if the real server has panicked, so that it didn't do what the other one did. */
  over = false;
  #start = "";

  constructor(servers: Servers, options: RunOptions) {
    this.#servers = servers;
    this.#options = options;
    const draw = drawFrom(options.seed, 2);
    const kinds = options.kinds ?? randomKinds;
    this.#state = {
      ns: `r-${String(options.seed)}-${Date.now().toString(36)}${((runs += 1)).toString(36)}`,
      kinds: Array.from({ length: draw.pick([1, 1, 1, 2, 3]) }, () => draw.pick(kinds)),
      live: new Map(),
      versions: [],
      continuations: [],
      applied: new Map(),
      alone: options.alone === true,
    };
  }

  async begin(): Promise<void> {
    const kind = randomKinds.find(({ name }) => name === "namespaces")!;
    const made = await this.#send(-1, {
      method: "POST",
      path: "/api/v1/namespaces",
      json: { metadata: { name: this.#state.ns } },
      kind,
      touches: [],
    });
    this.#start = ((made.real.body as Json)["metadata"] as Json)["resourceVersion"] as string;
    this.#state.versions.push(this.#start);
    this.requests.length = 0;
  }

  async step(step: number): Promise<Finding | undefined> {
    const draw = drawFrom(this.#options.seed, 3, step);
    const request = this.#request(draw, step);
    const { finding, real } = await this.#send(step, request);
    if (finding !== undefined) return finding;
    this.#learn(request, real);
    await this.#settle(request, real);
    const name = ((real.body as Json | null)?.["metadata"] as Json | undefined)?.["name"];
    const touches = new Set([
      ...request.touches,
      ...(request.method === "POST" && real.status === 201 && typeof name === "string" && request.touches.length === 1
        ? [name]
        : []),
    ]);
    for (const touched of touches) {
      const path = `${collectionOf(this.#state, request.kind)}/${touched}`;
      const seen = await this.#send(step, { method: "GET", path, kind: request.kind, touches: [] });
      if (seen.finding !== undefined) return seen.finding;
      this.#see(request.kind, touched, seen.real);
    }
    return undefined;
  }

  async end(): Promise<Finding | undefined> {
    const draw = drawFrom(this.#options.seed, 4);
    const requests: RandomRequest[] = [...new Set(this.#state.kinds)].flatMap((kind): RandomRequest[] => {
      const fields = kind.namespaced ? "" : `&fieldSelector=metadata.name%3D${this.#state.ns}-a`;
      const watch = (query: string, accept: string): RandomRequest => ({
        method: "GET",
        path: `${collectionOf(this.#state, kind)}?watch=true&timeoutSeconds=1${fields}${query}`,
        headers: { accept },
        kind,
        touches: [],
      });
      const label = draw.pick(["a=1", "!a", "a in (1,2)", "a!=1"]);
      const field = kind.namespaced
        ? draw.pick([
            "metadata.name=a",
            "metadata.name!=b",
            ...(kind.name === "pods" ? ["status.phase=Pending", "spec.nodeName=n1"] : []),
            ...(kind.name === "gadgets" ? ["spec.text=a"] : []),
            ...(kind.name === "secrets" ? ["type=Opaque"] : []),
          ])
        : `metadata.name=${this.#state.ns}-a`;
      const accept = draw.pick([
        "application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        ...(kind.custom ? [] : ["application/vnd.kubernetes.protobuf"]),
        "application/cbor-seq",
        "application/json",
      ]);
      return [
        watch(`&resourceVersion=${this.#start}`, "application/json"),
        watch(`&resourceVersion=${this.#start}&labelSelector=${encodeURIComponent(label)}`, accept),
        ...(kind.namespaced
          ? [
              watch(`&resourceVersion=${this.#start}&fieldSelector=${encodeURIComponent(field)}`, "application/json"),
              watch(
                draw.pick([
                  "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
                  "",
                  `&resourceVersion=${this.#state.versions.at(-1) ?? this.#start}`,
                ]),
                accept,
              ),
              { method: "GET" as const, path: collectionOf(this.#state, kind), kind, touches: [] },
            ]
          : []),
      ];
    });
    const findings = await Promise.all(requests.map(async (request) => (await this.#send(-1, request)).finding));
    return findings.find((finding) => finding !== undefined);
  }

  #request(draw: Draw, step: number): RandomRequest {
    const { kinds, live, alone } = this.#state;
    const kind = draw.pick(kinds);
    const there = [...live.keys()].some((key) => key.startsWith(`${kind.name}/`));
    const some = <T>(weight: number, choose: () => T): readonly [number, () => T] => [weight, choose];
    return draw.weighted<RandomRequest>([
      some(there ? 2 : 9, () => create(draw, this.#state, kind, step)),
      some(4, () => update(draw, this.#state, kind)),
      some(there ? 6 : 1, () => patch(draw, this.#state, kind)),
      some(6, () => apply(draw, this.#state, kind)),
      some(1.5, () => get(draw, this.#state, kind)),
      some(2.5, () => list(draw, this.#state, kind)),
      some(there ? 2 : 0.5, () => remove(draw, this.#state, kind)),
      some(kind.namespaced ? 0.6 : 0, () => removeAll(draw, this.#state, kind)),
      some(kind.subresources.length === 0 ? 0 : 3, () => subresource(draw, this.#state, kind)),
      some(alone ? 0.7 : 0, () => forget(draw, this.#state, kind)),
    ]);
  }

  async #send(step: number, request: RandomRequest): Promise<{ real: ComparableAnswer; finding?: Finding }> {
    const text = request.raw ?? (request.json === undefined ? undefined : JSON.stringify(request.json));
    const [path, ourText] = [
      this.#identities.ourRequest(request.path),
      text === undefined ? undefined : this.#identities.ourRequest(text),
    ];
    const described = `${request.compact === undefined ? "" : `(after compaction at ${request.compact}) `}${request.method} ${request.path}${request.token === undefined ? "" : ` token=${request.token}`}${request.headers === undefined || Object.keys(request.headers).length === 0 ? "" : ` ${JSON.stringify(request.headers)}`}${request.encode === undefined ? "" : ` as ${request.encode}`}${text === undefined ? "" : ` ${text}`}`;
    if (step >= 0) this.requests.push(described);
    const { real, own } = this.#servers;
    if (request.compact !== undefined) {
      const paths = this.#state.kinds.map((kind) => collectionOf(this.#state, kind));
      await Promise.all([
        real.compact(Number(request.compact), paths),
        own.compact(Number(this.#identities.version(request.compact))),
      ]);
    }
    const [wanted, got] = (
      await Promise.all([ask(real, request, request.path, text), ask(own, request, path, ourText)])
    ).map(comparableParts) as [ComparableAnswer, ComparableAnswer];
    // A real server that panics closes the connection without an answer to compare.
    this.over ||= wanted.status === 0;
    const differences = wanted.status === 0 ? [] : this.#identities.differences(withoutLate(wanted), withoutLate(got));
    return {
      real: wanted,
      ...(differences.length === 0 ? {} : { finding: { step, request: described, differences } }),
    };
  }

  /**
   * The next change of a new claim makes a real server write it once more, even if it changes nothing. Make a change
   * that does.
   */
  async #settle(request: RandomRequest, { status, body }: ComparableAnswer): Promise<void> {
    if (request.kind.name !== "persistentvolumeclaims" || status !== 201 || request.path.includes("dryRun=All")) return;
    const name = ((body as Json | null)?.["metadata"] as Json | undefined)?.["name"] ?? request.touches[0];
    await this.#send(-1, {
      method: "PATCH",
      path: `${collectionOf(this.#state, request.kind)}/${String(name)}`,
      headers: { "content-type": "application/merge-patch+json" },
      raw: '{"metadata":{"annotations":{"settled":"1"}}}',
      kind: request.kind,
      touches: [],
    });
  }

  #see(kind: RandomKind, name: string, seen: ComparableAnswer): void {
    const key = liveKey(kind, name);
    if (seen.status !== 200) {
      this.#state.live.delete(key);
      return;
    }
    this.#state.live.set(key, seen.body as Json);
    const version = ((seen.body as Json)["metadata"] as Json)["resourceVersion"] as string;
    if (!this.#state.versions.includes(version)) this.#state.versions.push(version);
  }

  #learn({ kind, path, method }: RandomRequest, { body }: ComparableAnswer): void {
    const token = ((body as Json | null)?.["metadata"] as Json | undefined)?.["continue"];
    const query = path.split("?")[1];
    if (method !== "GET" || typeof token !== "string" || token === "" || query === undefined) return;
    this.#state.continuations.push({
      kind,
      token,
      query: query
        .split("&")
        .filter((part) => !/^(continue|resourceVersion\w*)=/.test(part))
        .join("&"),
    });
  }
}

/**
 * Removes bookmarks at the end of a watch, which depend on timing. Those that end the initial events have an
 * annotation.
 */
function withoutLate(answer: ComparableAnswer): ComparableAnswer {
  const events = Array.isArray(answer.body) ? answer.body : ((answer.body as Json | null)?.["$protobuf"] as unknown);
  if (!Array.isArray(events)) return answer;
  const kept = (events as Json[]).filter(
    (event) => event["type"] !== "BOOKMARK" || JSON.stringify(event).includes("initial-events-end"),
  );
  return {
    ...answer,
    body: kept.map((event) => (event["type"] === "BOOKMARK" ? { ...event, object: "<bookmark>" } : event)),
  };
}

/** Runs the sequence of a seed, or some of its steps, against both servers, up to the first difference. */
export async function runSequence(servers: Servers, options: RunOptions): Promise<Run> {
  const sequence = new Sequence(servers, options);
  await sequence.begin();
  for (const step of options.steps ?? Array.from({ length: lengthOf(options.seed) }, (_, at) => at)) {
    const finding = await sequence.step(step);
    if (finding !== undefined) return { seed: options.seed, requests: sequence.requests, finding };
    if (sequence.over) return { seed: options.seed, requests: sequence.requests };
  }
  const finding = options.skipFinalReads === true ? undefined : await sequence.end();
  return { seed: options.seed, requests: sequence.requests, ...(finding === undefined ? {} : { finding }) };
}

/** Returns a key that groups similar differences. */
export function classOf({ differences: [first, next] }: Finding): string {
  const text = (value: unknown): string =>
    typeof value === "string" ? value.replace(/\d+/g, "0").slice(0, 60) : typeof value;
  const one = ({ at, real, own }: Difference): string =>
    at === "/status" ? `${String(real)} / ${String(own)}` : `${at.replace(/\d+/g, "0")} ${text(real)} / ${text(own)}`;
  // A status alone doesn't identify the problem.
  return first!.at === "/status" && next !== undefined ? `${one(first!)} ${one(next)}` : one(first!);
}

/** Finds the fewest steps of a failing sequence that still fail in the same way. */
export async function shrink(servers: Servers, options: RunOptions, failed: Run): Promise<Run> {
  const { step } = failed.finding!;
  let steps = Array.from({ length: step < 0 ? lengthOf(options.seed) : step + 1 }, (_, at) => at);
  let best = failed;
  const alike = (run: Run): boolean =>
    run.finding !== undefined && run.finding.differences[0]!.at === failed.finding!.differences[0]!.at;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = steps.length - size; from > -size; from -= size) {
      const fewer = steps.filter((_, at) => at < Math.max(0, from) || at >= from + size);
      if (fewer.length === steps.length) continue;
      const run = await runSequence(servers, { ...options, steps: fewer, skipFinalReads: step >= 0 });
      if (!alike(run)) continue;
      [steps, best] = [fewer, run];
    }
  }
  return best;
}

/** Creates the custom kinds on both servers and waits until they are served. */
export async function prepare({ real, own }: Servers): Promise<void> {
  for (const server of [real, own]) {
    const headers = { authorization: "Bearer admin-token", "content-type": "application/json" };
    for (const definition of definitions) {
      const { status } = await server.send(
        "POST",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        headers,
        JSON.stringify(definition),
      );
      if (status !== 201 && status !== 409) throw new Error(`creating a definition returned ${String(status)}`);
    }
    for (const kind of randomKinds.filter(({ custom }) => custom)) {
      while (
        (
          await server.send(
            "GET",
            `${kind.collection.replace("${ns}", "default")}?resourceVersion=0`,
            headers,
            undefined,
          )
        ).status !== 200
      )
        await delay(100);
    }
  }
}
