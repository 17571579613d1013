import type { ApiServer } from "../../src/apiserver/server.js";
import { createApiServer } from "../../src/apiserver/server.js";
import type { ConfigMap } from "../../src/kinds/core/v1.js";
import type { VirtualClock } from "../support/virtual-clock.js";
import type { Random } from "./random.js";

/** State of one object on the server. */
export interface Truth {
  /** Resource version. */
  readonly version: string;
  /** Id of the object, written when it's created and never changed. */
  readonly life: string;
  /** Text that is written with every change. */
  readonly text: string;
  /** Time of its creation or return, in virtual milliseconds. */
  readonly since: number;
}

/** Server with a workload that knows the expected state. */
export interface World {
  /** Current server. */
  readonly server: ApiServer;
  /** Expected objects by key. */
  readonly truth: ReadonlyMap<string, Truth>;
  /** Newest revision that the workload knows. */
  readonly revision: number;
  /** Revision that a new server would have with all objects. */
  readonly restartRevision: number;
  /** True if the server has gone back to an earlier state. */
  readonly historyLost: boolean;
  /** Makes a random write: creates, changes, deletes, or deletes and recreates an object. */
  write(): Promise<void>;
  /** Discards the whole history. */
  compact(): void;
  /** Saves the current state, or restores the saved one. */
  saveOrRestore(): Promise<void>;
  /** Replaces the server with a new one that starts counting again and has only some of the objects. */
  restart(): Promise<void>;
  /** Stops the server. */
  close(): Promise<void>;
}

const base = "/api/v1/namespaces";
const never = new AbortController().signal;

/** Creates a server without objects of the workload. */
export async function createWorld(clock: VirtualClock, random: Random): Promise<World> {
  let server = createApiServer({ clock, controllers: false });
  let truth = new Map<string, Truth>();
  let revision = 0;
  let firstRevision = 0;
  let historyLost = false;
  let lives = 0;
  let saved: { snapshot: ReturnType<ApiServer["snapshot"]>; truth: Map<string, Truth> } | undefined;

  const call = async (method: string, path: string, body?: object): Promise<ConfigMap & { items?: ConfigMap[] }> => {
    const bytes = body === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body));
    const headers: Record<string, string> = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const response = await server.serve({
      method,
      path,
      query: "",
      signal: never,
      header: (name) => headers[name],
      headerValues: (name) => (headers[name] === undefined ? [] : [headers[name]]),
      headerNames: () => Object.keys(headers),
      readBody: async () => bytes,
    });
    const answer = JSON.parse(new TextDecoder().decode(response.body as Uint8Array)) as ConfigMap & {
      message?: string;
    };
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${String(response.status)} ${answer.message ?? ""}`);
    return answer;
  };

  const note = (key: string, object: ConfigMap): void => {
    const version = object.metadata!.resourceVersion!;
    revision = Math.max(revision, Number(version));
    const life = object.data!["life"]!;
    const held = truth.get(key);
    truth.set(key, {
      version,
      life,
      text: object.data!["text"]!,
      since: held?.life === life ? held.since : clock.monotonic(),
    });
  };
  const split = (key: string): { namespace: string; name: string } => {
    const [namespace, name] = key.split("/") as [string, string];
    return { namespace, name };
  };
  const create = async (key: string): Promise<void> => {
    const { namespace, name } = split(key);
    const data = {
      life: String(++lives),
      text: `größe 日本語 ${String(random.int(1_000))} ${"ß".repeat(random.int(60))}`,
    };
    note(key, await call("POST", `${base}/${namespace}/configmaps`, { metadata: { name }, data }));
  };
  const change = async (key: string): Promise<void> => {
    const { namespace, name } = split(key);
    const data = {
      life: truth.get(key)!.life,
      text: `änderung ${String(random.int(1_000_000))} ${"語".repeat(random.int(40))}`,
    };
    note(key, await call("PUT", `${base}/${namespace}/configmaps/${name}`, { metadata: { name, namespace }, data }));
  };
  const remove = async (key: string): Promise<void> => {
    const { namespace, name } = split(key);
    // The watch may report the deletion before the response arrives.
    truth.delete(key);
    await call("DELETE", `${base}/${namespace}/configmaps/${name}`);
    revision++;
  };
  const begin = async (): Promise<void> => {
    await call("POST", base, { metadata: { name: "two" } });
    // Exclude the objects that a new server creates itself.
    const { items = [] } = await call("GET", "/api/v1/configmaps");
    for (const { metadata } of items)
      await call("DELETE", `${base}/${metadata!.namespace!}/configmaps/${metadata!.name!}`);
    // A new server writes some objects of its own soon after its start.
    await clock.runUntil(() => false, 0);
    revision = firstRevision = server.snapshot().revision;
  };

  const world: World = {
    get server() {
      return server;
    },
    get truth() {
      return truth;
    },
    get revision() {
      // A server may also write by itself.
      revision = Math.max(revision, server.snapshot().revision);
      return revision;
    },
    get restartRevision() {
      return firstRevision + truth.size;
    },
    get historyLost() {
      return historyLost;
    },
    async write() {
      const key = `${random.pick(["default", "two"])}/${random.pick(["a", "b", "c", "d", "e"])}`;
      if (!truth.has(key)) return create(key);
      const what = random.next();
      if (what < 0.5) return change(key);
      await remove(key);
      if (what > 0.75) await create(key);
    },
    compact: () => server.compact(),
    async saveOrRestore() {
      if (saved === undefined) {
        saved = { snapshot: server.snapshot(), truth: new Map(truth) };
        return;
      }
      server.restore(saved.snapshot);
      truth = new Map([...saved.truth].map(([key, entry]) => [key, { ...entry, since: clock.monotonic() }]));
      revision++;
      saved = undefined;
      historyLost = true;
    },
    async restart() {
      const survivors = [...truth].filter(() => random.chance(0.6));
      const old = server;
      server = createApiServer({ clock, controllers: false });
      saved = undefined;
      historyLost = true;
      truth = new Map();
      await begin();
      for (const [key] of survivors) await create(key);
      await old.close();
    },
    close: () => server.close(),
  };
  await begin();
  return world;
}
