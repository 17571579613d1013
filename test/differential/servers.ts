import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { UserInfo } from "../../src/apiserver/http/user-info.js";
import { listen } from "../../src/apiserver/node/listen.js";
import type { ApiServerOptions } from "../../src/apiserver/options.js";
import { createApiServer } from "../../src/apiserver/server.js";
import type { ServerKind } from "./probe.js";

/** Answer of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Server under comparison. */
export interface Server {
  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
  ): Promise<Answer>;
  /** Discards the history before this revision. Resolves when lists of these paths no longer contain it. */
  compact(revision: number, paths?: readonly string[]): Promise<void>;
  /** Closes all connections; the next request opens new ones. */
  closeConnections(): Promise<void>;
  close(): Promise<void>;
}

/** Users of both servers. */
const users: readonly (readonly [token: string, user: UserInfo])[] = [
  ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
  ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
];

function connect(url: string, compact: Server["compact"], close: () => Promise<void>): Server {
  const agent = (): Agent =>
    new Agent({ connect: { rejectUnauthorized: false }, connections: 96, keepAliveTimeout: 1000, bodyTimeout: 4000 });
  let dispatcher = agent();
  return {
    async send(method, path, headers, body) {
      const ask = async (): ReturnType<typeof request> =>
        request(`${url}${path}`, { method: method as never, headers, body: body as never, dispatcher });
      // A server may close an idle connection just when it's used again: retry.
      const response = await ask()
        .catch(ask)
        .catch(() => undefined);
      if (response === undefined) return { status: 0, headers: {}, body: new Uint8Array() };
      const fields = Object.fromEntries(
        Object.entries(response.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join("\n") : (value ?? ""),
        ]),
      );
      // An answer that takes longer than a probe is reduced to its status.
      const bytes = await response.body.arrayBuffer().catch(() => new TextEncoder().encode("(goes on)"));
      return { status: response.statusCode, headers: fields, body: new Uint8Array(bytes) };
    },
    compact,
    async closeConnections() {
      const before = dispatcher;
      dispatcher = agent();
      await before.destroy();
    },
    async close() {
      await dispatcher.destroy();
      await close();
    },
  };
}

/** Connects to a running kube-apiserver. */
export function realServer(kubeconfig: string): Server {
  const url = /server: "([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  if (url === undefined) throw new Error(`${kubeconfig} contains no server`);
  const server = connect(
    url,
    async (revision, paths = []) => {
      const etcd = readFileSync(join(dirname(kubeconfig), "etcd.url"), "utf8").trim();
      const tell = (path: string, body: unknown): ReturnType<typeof request> =>
        request(`${etcd}${path}`, { method: "POST", body: JSON.stringify(body) });
      // kube-apiserver does the same itself, and checks this key every few seconds.
      await tell("/v3/kv/put", { key: btoa("compact_rev_key"), value: btoa(String(revision)) });
      const response = await tell("/v3/kv/compaction", { revision: String(revision), physical: true });
      const answer = await response.body.text();
      if (response.statusCode !== 200 && !answer.includes("has been compacted"))
        throw new Error(`etcd does not compact: ${answer}`);
      // Each kind has its own cache, which checks every 15 seconds for history to discard.
      const exactly = `limit=1&resourceVersion=${String(revision - 1)}&resourceVersionMatch=Exact`;
      for (const path of paths) {
        const list = (): Promise<Answer> =>
          server.send("GET", `${path}?${exactly}`, { authorization: "Bearer admin-token" }, undefined);
        for (let tries = 0; (await list()).status !== 410; tries += 1) {
          if (tries === 100) throw new Error(`${path} still lists versions before ${String(revision)}`);
          await delay(200);
        }
      }
    },
    async () => undefined,
  );
  return server;
}

/** Gates that are off in both servers. */
const featureGates = { PodLogsQuerySplitStreams: false };

const kinds: Readonly<Record<ServerKind, ApiServerOptions>> = {
  "optional-plugins": { enableAdmissionPlugins: ["ServiceAccount", "NodeRestriction"] },
  older: {
    featureGates: { ...featureGates, WatchList: false, CBORServingAndStorage: false, ShardedListAndWatch: false },
    runtimeConfig: { "api/alpha": false, "api/beta": false },
    watchCache: false,
  },
};

/** Returns the options for our server that make it one of a kind. */
export function optionsOf(kind: ServerKind | undefined): ApiServerOptions {
  return { featureGates, ...(kind === undefined ? {} : kinds[kind]) };
}

/** Starts our server on a local port. It runs without controllers, because the other one has none either. */
export async function ownServer(kind?: ServerKind): Promise<Server> {
  const server = createApiServer({
    ...optionsOf(kind),
    tokens: new Map(users),
    authorizationMode: "RBAC",
    controllers: false,
  });
  const listener = await listen(server);
  return connect(
    listener.url,
    async (revision) => server.compact(revision),
    async () => {
      await server.close();
      await listener.close();
    },
  );
}
