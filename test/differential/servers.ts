import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { UserInfo } from "../../src/apiserver/http/user-info.js";
import { listen } from "../../src/apiserver/node/listen.js";
import { createApiServer } from "../../src/apiserver/server.js";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A server to ask. */
export interface Server {
  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | undefined,
  ): Promise<Answer>;
  /** Forgets all history before this revision, and comes back when lists of these paths have none of it any more. */
  compact(revision: number, paths?: readonly string[]): Promise<void>;
  /** Closes all connections; the next request opens others. */
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

/** The users of both servers. */
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
      // A server may close a connection that was idle just as it is used again.
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
      // What goes on for longer than a probe is told by its status alone.
      const bytes = await response.body.arrayBuffer().catch(() => new TextEncoder().encode("(goes on)"));
      return { status: response.statusCode, headers: fields, body: new Uint8Array(bytes) };
    },
    compact,
    async hangUp() {
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

/** A kube-apiserver that runs already. */
export function realServer(kubeconfig: string): Server {
  const url = /server: "([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1];
  if (url === undefined) throw new Error(`no server in ${kubeconfig}`);
  const server = connect(
    url,
    async (revision, paths = []) => {
      const etcd = readFileSync(join(dirname(kubeconfig), "etcd.url"), "utf8").trim();
      const tell = (path: string, body: unknown): ReturnType<typeof request> =>
        request(`${etcd}${path}`, { method: "POST", body: JSON.stringify(body) });
      // What kube-apiserver itself does, and looks at every few seconds.
      await tell("/v3/kv/put", { key: btoa("compact_rev_key"), value: btoa(String(revision)) });
      const response = await tell("/v3/kv/compaction", { revision: String(revision), physical: true });
      const answer = await response.body.text();
      if (response.statusCode !== 200 && !answer.includes("has been compacted"))
        throw new Error(`etcd does not compact: ${answer}`);
      // Each kind has a cache of its own, which looks every quarter of a minute what it has to forget.
      const exactly = `limit=1&resourceVersion=${String(revision - 1)}&resourceVersionMatch=Exact`;
      for (const path of paths) {
        const list = (): Promise<Answer> =>
          server.send("GET", `${path}?${exactly}`, { authorization: "Bearer admin-token" }, undefined);
        for (let tries = 0; (await list()).status !== 410; tries += 1) {
          if (tries === 100) throw new Error(`${path} still lists what was before ${String(revision)}`);
          await delay(200);
        }
      }
    },
    async () => undefined,
  );
  return server;
}

/** Our own, behind a port of this machine, without its controllers: the other one has none either. */
export async function ownServer(): Promise<Server> {
  const server = createApiServer({ tokens: new Map(users), authorizationMode: "RBAC", controllers: false });
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
