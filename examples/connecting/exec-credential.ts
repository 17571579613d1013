// Log in with an exec plugin, such as `aws eks get-token`, `gke-gcloud-auth-plugin` and `kubelogin` (OIDC).
import { createApiServer } from "kubestream/apiserver";
import { listen } from "kubestream/apiserver/node";
import { SelfSubjectReview } from "kubestream/kinds/authentication/v1";
import { connect } from "kubestream/node";

const jane = { name: "jane", uid: "1", groups: ["developers"], extra: {} };
const server = createApiServer({ tokens: new Map([["token-of-jane", jane]]) });
const listener = await listen(server);

// The plugin prints a credential. It runs again shortly before the credential expires, and after a 401.
const credential = {
  apiVersion: "client.authentication.k8s.io/v1",
  kind: "ExecCredential",
  status: { token: "token-of-jane", expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() },
};
const exec = {
  apiVersion: credential.apiVersion,
  command: process.execPath,
  args: ["-e", `console.log(${JSON.stringify(JSON.stringify(credential))})`],
  interactiveMode: "Never",
};
const kubeconfigText = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "local", cluster: { server: listener.url } }],
  users: [{ name: "plugin", user: { exec } }],
  contexts: [{ name: "local", context: { cluster: "local", user: "plugin" } }],
  "current-context": "local",
});

// `allowedPlugins` refuses other programs, for kubeconfigs that you didn't write.
const client = await connect({ kubeconfigText, allowedPlugins: [process.execPath] });
const { status } = await client.resource(SelfSubjectReview).create({});
console.log(status?.userInfo?.username, status?.userInfo?.groups);
await client.close();
await listener.close();
await server.close();
