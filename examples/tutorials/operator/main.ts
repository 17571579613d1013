// The program of the container: installs the kind, serves health checks and metrics, and runs until SIGTERM.
import { hasCondition, waitFor } from "kubestream/cache";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { connect, serveOperations } from "kubestream/node";
import { createOperator } from "./operator.js";
import { crd } from "./website.js";

const client = await connect();
const definitions = client.resource(CustomResourceDefinition);
await definitions.apply(structuredClone(crd) as never, { fieldManager: "website-operator", force: true });
await waitFor(definitions, crd.metadata.name, hasCondition("Established"), { timeoutMs: 30_000 });

const manager = createOperator({
  client,
  namespace: process.env["POD_NAMESPACE"] ?? "default",
  unpublish: async (host) => console.log(`removes ${host} from DNS`),
});

const operations = await serveOperations(manager, { port: 8080 });
console.log(`health checks and metrics on port ${operations.port}`);

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stop.abort());
try {
  await manager.run({ signal: stop.signal });
} finally {
  await operations.close();
  await client.close();
}
