// A conversion webhook: a custom kind in two versions, stored in one of them and served in both.
import { createClient, defineKind, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { conversionWebhook } from "kubestream/webhook";

interface Spec {
  /** In v1: "host:port". */
  address?: string;
  /** In v2. */
  host?: string;
  port?: number;
}
const group = "example.com";
const scope = "Namespaced";
const names = { kind: "Target", plural: "targets" } as const;
const TargetV1 = defineKind<Spec>()({ ...names, group, scope, version: "v1" });
const TargetV2 = defineKind<Spec>()({ ...names, group, scope, version: "v2" });

// Mount this handler on any server with a fetch handler, as in webhook.ts.
const handler = conversionWebhook((object, desiredAPIVersion) => {
  const { spec = {} } = object as { spec?: Spec };
  const [host, port] = (spec.address ?? "").split(":");
  return desiredAPIVersion.endsWith("/v2")
    ? { ...object, spec: { host, port: Number(port) } }
    : { ...object, spec: { address: `${spec.host ?? ""}:${String(spec.port)}` } };
});
const server = createApiServer({
  webhooks: async ({ url, body }) => {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await handler(new Request(url, request))).json();
  },
});
const client = createClient({ transport: handlerTransport(server.handle) });
const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
await client.resource(CustomResourceDefinition).create({
  metadata: { name: "targets.example.com" },
  spec: {
    group,
    scope,
    names,
    versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v2", schema })),
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "https://webhook.example.com/convert" }, conversionReviewVersions: ["v1"] },
    },
  },
});
await server.settled();
const old = client.resource(TargetV1).namespace("default");
await old.create({ metadata: { name: "web" }, spec: { address: "web.example:8080" } });
console.log((await client.resource(TargetV2).namespace("default").get("web")).spec);
console.log((await old.get("web")).spec);
await client.close();
await server.close();
