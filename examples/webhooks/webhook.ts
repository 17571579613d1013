// A validating and mutating webhook, tested against the embedded server, which calls it like a real one does.
import { createClient, handlerTransport, isForbidden } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { MutatingWebhookConfiguration } from "kubestream/kinds/admissionregistration/v1";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { admissionWebhook } from "kubestream/webhook";

// Mount this handler on any server with a fetch handler: Node's HTTP server, Hono, Bun.serve, Deno.serve.
const handler = admissionWebhook<ConfigMap>(({ object }) => {
  if (object?.data?.["colour"] === "red") return { allowed: false, code: 403, message: "red is reserved" };
  return { object: { ...object, data: { size: "small", ...object?.data } }, warnings: ["size defaults to small"] };
});

const server = createApiServer({
  webhooks: async ({ url, body }) => {
    const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await handler(new Request(url, request))).json();
  },
});
const client = createClient({
  transport: handlerTransport(server.handle),
  onWarning: ({ text }) => console.log("warning:", text),
});
await client.resource(MutatingWebhookConfiguration).create({
  metadata: { name: "colours" },
  webhooks: [
    {
      name: "colours.example.com",
      clientConfig: { url: "https://webhook.example.com/colours" },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
    },
  ],
});

const maps = client.resource(ConfigMap).namespace("default");
console.log((await maps.create({ metadata: { name: "blue" }, data: { colour: "blue" } })).data);
try {
  await maps.create({ metadata: { name: "red" }, data: { colour: "red" } });
} catch (error) {
  if (!isForbidden(error)) throw error;
  console.log(error.status.message);
}
await client.close();
await server.close();
