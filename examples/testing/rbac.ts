// The least roles for a program, from the audit of its test run. `kubestream rbac audit.log` does the same for a file.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { Deployment } from "kubestream/kinds/apps/v1";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { formatManifests } from "kubestream/manifests";
import { type AuditedRequest, planRbac } from "kubestream/operations";

const events: AuditedRequest[] = [];
const server = createApiServer({
  audit: { policy: { rules: [{ level: "Metadata" }] }, sink: (event) => events.push(event) },
});
const client = createClient({ transport: handlerTransport(server.handle), fieldManager: "operator" });

// The program under test.
await client.resource(Deployment).list();
const maps = client.resource(ConfigMap).namespace("default");
await maps.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } });
await maps.get("settings");

const { objects, requests } = planRbac(events, {
  name: "operator",
  resourceNames: ["configmaps"],
  serviceAccount: { namespace: "default", name: "operator" },
});
console.log(requests, "requests:", objects.map(({ kind }) => kind).join(", "));
console.log(formatManifests(objects.filter(({ kind }) => kind === "Role")));

await client.close();
await server.close();
