// A webhook server whose certificate it creates, publishes and rotates, as part of a manager.
import { setTimeout } from "node:timers/promises";
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { nodeWebhookCaller } from "kubestream/apiserver/node";
import { waitFor } from "kubestream/cache";
import { createManager } from "kubestream/controller";
import { ValidatingWebhookConfiguration } from "kubestream/kinds/admissionregistration/v1";
import { ConfigMap, Secret } from "kubestream/kinds/core/v1";
import { serveWebhooks } from "kubestream/node";
import { admissionWebhook } from "kubestream/webhook";

// The embedded server calls webhooks like a real one. In a pod, use `await connect()` instead.
const server = createApiServer({ webhooks: nodeWebhookCaller });
const client = createClient({ transport: handlerTransport(server.handle) });

const decide = admissionWebhook<ConfigMap>(({ object }) =>
  object?.data?.["colour"] === "red" ? { allowed: false, message: "red is reserved" } : undefined,
);
const webhooks = await serveWebhooks({
  port: 0,
  host: "127.0.0.1",
  handlers: { "/colours": decide },
  certificate: {
    client,
    secret: { namespace: "default", name: "colours-tls" },
    hosts: ["127.0.0.1"], // In a pod: service: { namespace: "default", name: "colours" }.
    validatingWebhookConfigurations: ["colours"],
  },
});
const manager = createManager({ runnables: [webhooks] });
manager.start();
const configurations = client.resource(ValidatingWebhookConfiguration);
await configurations.create({
  metadata: { name: "colours" },
  webhooks: [
    {
      name: "colours.example.com",
      clientConfig: { url: `${webhooks.url}/colours` }, // The server fills in the caBundle.
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
    },
  ],
});
await waitFor(configurations, "colours", (object) => object?.webhooks?.[0]?.clientConfig.caBundle !== undefined);
while (!(await manager.readiness()).ok) await setTimeout(10);
console.log("ready");
const maps = client.resource(ConfigMap).namespace("default");
console.log((await maps.create({ metadata: { name: "blue" }, data: { colour: "blue" } })).data);
const red = maps.create({ metadata: { name: "red" }, data: { colour: "red" } });
console.log(await red.catch((error: Error) => error.message));
const { data } = await client.resource(Secret).namespace("default").get("colours-tls");
console.log(Object.keys(data ?? {}).sort());

await manager.stop(); // Closes the webhook server, after everything else.
await client.close();
await server.close();
