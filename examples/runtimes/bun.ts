// Bun: the embedded server behind `Bun.serve`, and a client that reaches it with `fetch`. Run it with `bun run`.
import { createClient, fetchTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";

interface BunServer {
  readonly url: URL;
  stop(force?: boolean): Promise<void>;
}
declare const Bun: {
  readonly version: string;
  serve(options: { port: number; fetch: (request: Request) => Promise<Response> }): BunServer;
};

const server = createApiServer({ controllers: false });
const listener = Bun.serve({ port: 0, fetch: (request) => server.handle(request) });
const client = createClient({ transport: fetchTransport({ url: listener.url.origin }) });
const maps = client.resource(ConfigMap).namespace("default");
await maps.create({ metadata: { name: "settings" }, data: { runtime: "Bun" } });
for await (const map of maps.items()) console.log(map.metadata?.name, map.data);
await client.close();
await listener.stop(true);
await server.close();
