import type { Client } from "../../../src/client/client.js";
import { connect } from "../../../src/node/connection/connect.js";
import type { FakeKubelet, FakeKubeletOptions } from "./fake-kubelet.js";
import { answerLog, fakeKubelet } from "./fake-kubelet.js";
import type { LocalServer } from "./local-server.js";
import { pki, serve } from "./local-server.js";

/** Server with a fake kubelet, and a client for it. */
export interface FakeCluster extends AsyncDisposable {
  readonly server: LocalServer;
  readonly kubelet: FakeKubelet;
  readonly client: Client;
}

/** Starts a cluster with logs and streams, optionally over TLS. */
export async function fakeCluster(options: FakeKubeletOptions & { readonly tls?: boolean } = {}): Promise<FakeCluster> {
  const server = await serve(answerLog, options.tls ? {} : undefined);
  const kubelet = fakeKubelet(server.server, options);
  const client = await connect({
    server: server.url,
    ...(options.tls && { ca: pki("ca.crt") }),
    env: {},
    retry: false,
  });
  return {
    server,
    kubelet,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
