// A Worker in the shape that Cloudflare Workers, Deno and Bun accept: it lists ConfigMaps of a cluster it reaches with `fetch`.
// Without a SERVER binding it answers from an embedded server, in the same isolate and without a network.
import { createClient, fetchTransport, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { bearerToken } from "kubestream/interceptors";
import { ConfigMap } from "kubestream/kinds/core/v1";

interface Bindings {
  readonly SERVER?: string;
  readonly TOKEN?: string;
}

export default {
  async fetch(_request: Request, { SERVER, TOKEN = "" }: Bindings = {}): Promise<Response> {
    await using server = createApiServer({ controllers: false });
    await server.load([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "demo", namespace: "default" },
        data: { from: "Worker" },
      },
    ]);
    await using client =
      SERVER === undefined
        ? createClient({ transport: handlerTransport(server.handle) })
        : createClient({ transport: fetchTransport({ url: SERVER }), interceptors: [bearerToken(TOKEN)] });
    const { items } = await client.resource(ConfigMap).namespace("default").list({ limit: 10 });
    return Response.json(items.map(({ metadata, data }) => ({ name: metadata?.name, data })));
  },
};
