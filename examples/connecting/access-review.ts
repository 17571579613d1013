// Impersonation and access reviews: what a service account may do, and why. The embedded server enforces RBAC here.
import { createClient, handlerTransport, isForbidden, withImpersonation } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { bearerToken } from "kubestream/interceptors";
import { Pod, Secret } from "kubestream/kinds/core/v1";
import { Role, RoleBinding } from "kubestream/kinds/rbac/v1";
import { checkAccess } from "kubestream/operations";

const admin = { name: "admin", uid: "1", groups: ["system:masters", "system:authenticated"], extra: {} };
const server = createApiServer({ authorizationMode: "RBAC", tokens: new Map([["secret-token", admin]]) });
const client = createClient({
  transport: handlerTransport(server.handle),
  interceptors: [bearerToken("secret-token")],
});
await client
  .resource(Role)
  .namespace("default")
  .create({
    metadata: { name: "pod-reader" },
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }],
  });
await client
  .resource(RoleBinding)
  .namespace("default")
  .create({
    metadata: { name: "pod-reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "pod-reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
  });

const user = "system:serviceaccount:default:reader";
const groups = ["system:serviceaccounts", "system:authenticated"];
const reader = withImpersonation(client, { user, groups });
console.log("pods:", (await reader.resource(Pod).namespace("default").list()).items.length);
try {
  await reader.resource(Secret).namespace("default").list();
} catch (error) {
  if (!isForbidden(error)) throw error;
  console.log(error.status.message);
}

// Asks before the attempt, for the client's own user or for `subject`.
for (const [verb, kind] of [
  ["list", Pod],
  ["delete", Pod],
  ["list", Secret],
] as const) {
  const { allowed } = await checkAccess(client, verb, kind, { namespace: "default", subject: { user, groups } });
  console.log(verb, kind.plural, allowed);
}
await client.close();
await server.close();
