// The program of the container: installs the kind, serves health checks, and runs until SIGTERM.
import { createServer } from "node:http";
import { hasCondition, waitFor } from "kubestream/cache";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { connect } from "kubestream/node";
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

const checks = createServer((request, response) => {
  void (request.url === "/readyz" ? manager.readiness() : manager.health()).then((report) => {
    response.writeHead(report.ok ? 200 : 500, { "content-type": "application/json" }).end(JSON.stringify(report));
  });
}).listen(8080, () => console.log("health checks on port 8080"));

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stop.abort());
try {
  await manager.run({ signal: stop.signal });
} finally {
  checks.close();
  await client.close();
}
