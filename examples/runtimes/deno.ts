// Deno: the embedded server behind `Deno.serve`, and a client that reaches it with `fetch`. Run it with `deno run --allow-net`.
import { createClient, fetchTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";

interface DenoServer {
  readonly addr: { readonly port: number };
  shutdown(): Promise<void>;
}
interface ServeOptions {
  readonly port: number;
  readonly hostname: string;
  readonly onListen: () => void;
}
declare const Deno: {
  serve(options: ServeOptions, handler: (request: Request) => Promise<Response>): DenoServer;
};

const server = createApiServer({ controllers: false });
const options = { port: 0, hostname: "127.0.0.1", onListen: () => undefined };
const listener = Deno.serve(options, (request) => server.handle(request));
const client = createClient({ transport: fetchTransport({ url: `http://127.0.0.1:${listener.addr.port}` }) });
const maps = client.resource(ConfigMap).namespace("default");
await maps.create({ metadata: { name: "settings" }, data: { runtime: "Deno" } });
for await (const map of maps.items()) console.log(map.metadata?.name, map.data);
await client.close();
await listener.shutdown();
await server.close();
