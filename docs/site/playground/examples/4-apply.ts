// Apply: each field belongs to the manager that set it. A conflict names field and owner.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { Deployment } from "kubestream/kinds/apps/v1";
import { applyConflicts, fieldOwners } from "kubestream/objects";

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const deployments = client.resource(Deployment).namespace("default");
const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } } as const;

await deployments.apply(
  {
    ...web,
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "web:1" }] },
      },
    },
  },
  { fieldManager: "team-web" },
);

// Another program wants a different number of replicas.
try {
  await deployments.apply({ ...web, spec: { replicas: 5 } }, { fieldManager: "autoscaler" });
} catch (error) {
  for (const { field, manager } of applyConflicts(error)) console.log(`conflict: ${field} belongs to ${manager}`);
}

// It takes the field over, and owns it from now on.
const forced = await deployments.apply({ ...web, spec: { replicas: 5 } }, { fieldManager: "autoscaler", force: true });
console.log("replicas:", forced.spec?.replicas);
const owned = new Map(fieldOwners(forced).map(({ manager, fields }) => [manager, fields]));
console.log("autoscaler owns", owned.get("autoscaler")?.join(", "));
console.log("team-web owns", owned.get("team-web")?.length, "fields");

await client.close();
await server.close();

// Prints:
// conflict: .spec.replicas belongs to team-web
// replicas: 5
// autoscaler owns .spec.replicas
// team-web owns 5 fields
