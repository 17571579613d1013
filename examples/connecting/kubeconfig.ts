// Kubeconfig contexts: list them, connect to one, or connect without a kubeconfig.
import { Pod } from "kubestream/kinds/core/v1";
import { connect, listContexts } from "kubestream/node";

for (const { name, current, server, namespace } of await listContexts())
  console.log(current ? "*" : " ", name, server?.startsWith("http"), namespace ?? "default");

// Reads $KUBECONFIG or ~/.kube/config and, in a pod, the service account.
const client = await connect({ namespace: "web", timeoutMs: 10_000 });
console.log("namespace:", client.namespace);
console.log((await client.resource(Pod).namespace(client.namespace).list()).items.length, "pods");

// Everything can be given by hand as well, for example from a CI secret.
const kubeconfigText = `
apiVersion: v1
kind: Config
clusters: [{ name: test, cluster: { server: "${client.server}" } }]
users: [{ name: ci, user: { token: not-a-real-token } }]
contexts:
  - { name: ci, context: { cluster: test, user: ci, namespace: web } }
  - { name: admin, context: { cluster: test, user: ci } }
current-context: ci
`;
for (const { name, current, user, namespace } of await listContexts({ kubeconfigText }))
  console.log(current ? "*" : " ", name, user, namespace ?? "default");
await client.close();
