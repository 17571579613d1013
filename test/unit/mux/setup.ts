import { type Client, createClient } from "../../../src/client/client.js";
import { StatusError } from "../../../src/errors/status-error.js";
import { createMux, type Mux, type MuxOptions } from "../../../src/mux/create-mux.js";
import { muxProtocol } from "../../../src/mux/frames.js";
import type { Proxy } from "../../../src/proxy/proxy.js";
import type { Transport, TransportSocket } from "../../../src/transport/transport.js";

export const site = "https://dash.example";

/** Head of a request for the version of the cluster `a`. */
export const head = { cluster: "a", method: "GET", path: "/version", headers: {}, credit: 100_000 };

/** Returns the bytes of a frame in hexadecimal. */
export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Opens a multiplexed connection without a network. Rejects with a `StatusError` if the proxy refuses. */
export async function openSocket(proxy: Proxy, headers: Record<string, string> = {}): Promise<TransportSocket> {
  const answer = await proxy.upgrade(
    new Request(`${site}/clusters/`, {
      headers: { "sec-fetch-site": "same-origin", ...headers, "sec-websocket-protocol": muxProtocol },
    }),
  );
  if (answer instanceof Response) throw new StatusError(await answer.json());
  return answer.socket;
}

/** A page and the connections that it has opened. */
export interface Page extends AsyncDisposable {
  readonly mux: Mux;
  readonly sockets: readonly TransportSocket[];
  /** False lets attempts to connect fail. */
  reachable: boolean;
  client(cluster: string): Client;
}

export function openPage(proxy: Proxy, headers: Record<string, string>, options: Partial<MuxOptions> = {}): Page {
  const sockets: TransportSocket[] = [];
  const clients: Client[] = [];
  const transport: Transport = {
    send: () => Promise.reject(new Error("not multiplexed")),
    async connect() {
      if (!page.reachable) throw new Error("no network");
      const socket = await openSocket(proxy, headers);
      sockets.push(socket);
      return socket;
    },
    close: () => Promise.resolve(),
  };
  const mux = createMux({ transport, ...options });
  const page: Page = {
    mux,
    sockets,
    reachable: true,
    client(cluster) {
      const client = createClient({ transport: mux.transport(cluster), retry: false });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await mux.close();
    },
  };
  return page;
}
