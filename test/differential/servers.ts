import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Agent, request } from "undici";
import { listen } from "../../src/apiserver/node/listen.js";
import { createApiServer } from "../../src/apiserver/server.js";
import type { UserInfo } from "../../src/apiserver/core.js";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A server to ask. */
export interface Server {
  send(method: string, path: string, headers: Readonly<Record<string, string>>, body: string | Uint8Array | undefined): Promise<Answer>;
  /** Forgets all history before this revision. */
  compact(revision: number): Promise<void>;
  /** Closes all connections; the next request opens others. */
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

/** The users of both servers. */
const users: readonly (readonly [token: string, user: UserInfo])[] = [
  ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
  ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
];

function connect(url: string, compact: (revision: number) => Promise<void>, close: () => Promise<void>): Server {
  const agent = (): Agent => new Agent({ connect: { rejectUnauthorized: false }, connections: 96, keepAliveTimeout: 1000, bodyTimeout: 4000 });
  let dispatcher = agent();
  return {
    async send(method, path, headers, body) {
      const ask = async (): ReturnType<typeof request> => request(`${url}${path}`, { method: method as never, headers, body: body as never, dispatcher });
      // A server may close a connection that was idle just as it is used again.
      const response = await ask().catch(ask).catch(() => undefined);
      if (response === undefined) return { status: 0, headers: {}, body: new Uint8Array() };
      const fields = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : (value ?? "")]));
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
  return connect(url, async (revision) => {
    const etcd = readFileSync(join(dirname(kubeconfig), "etcd.url"), "utf8").trim();
    const tell = (path: string, body: unknown): ReturnType<typeof request> => request(`${etcd}${path}`, { method: "POST", body: JSON.stringify(body) });
    // What kube-apiserver itself does, and looks at every few seconds.
    await tell("/v3/kv/put", { key: btoa("compact_rev_key"), value: btoa(String(revision)) });
    const response = await tell("/v3/kv/compaction", { revision: String(revision), physical: true });
    if (response.statusCode !== 200) throw new Error(`etcd does not compact: ${await response.body.text()}`);
  }, async () => undefined);
}

/** Our own, behind a port of this machine, without its controllers: the other one has none either. */
export async function ownServer(): Promise<Server> {
  const server = createApiServer({ tokens: new Map(users), authorizationMode: "RBAC", loops: false });
  const listener = await listen(server);
  return connect(listener.url, async (revision) => server.compact(revision), async () => {
    await server.close();
    await listener.close();
  });
}
