// A proxy between a dashboard's pages and a cluster: it knows the users, and the cluster's rights decide.
import { createClient, fetchTransport, isForbidden } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { listen } from "kubestream/apiserver/node";
import { ConfigMap, Secret } from "kubestream/kinds/core/v1";
import { openTransport, serveProxy } from "kubestream/node";
import { createProxy } from "kubestream/proxy";

// The cluster: its RBAC lets Jane read ConfigMaps of her namespace. The proxy's own account may do everything.
const admin = { name: "proxy", uid: "", groups: ["system:masters"], extra: {} };
const server = createApiServer({ authorizationMode: "RBAC", tokens: new Map([["admin-token", admin]]) });
await server.load(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {colour: blue}
`);
const listener = await listen(server);

// The proxy: a session cookie names the user.
const { transport } = await openTransport({ server: listener.url, token: "admin-token" });
const proxy = createProxy({
  clusters: { prod: { transport } },
  authenticate: (request) => (request.headers.get("cookie") === "session=jane" ? { name: "jane" } : undefined),
  audit: ({ user, info, status }) => console.log("audit:", user?.name, info?.verb, info?.resource, status),
});
const served = await serveProxy(proxy, { port: 0 });

// The page: in a browser the URL is "/clusters/prod", and the browser sends the cookie.
const asJane: typeof fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...init?.headers, cookie: "session=jane" } });
const client = createClient({ transport: fetchTransport({ url: `${served.url}/clusters/prod`, fetch: asJane }) });
console.log((await client.resource(ConfigMap).namespace("default").get("settings")).data);
await client
  .resource(Secret)
  .namespace("default")
  .list()
  .catch((error: unknown) => console.log("forbidden:", isForbidden(error)));

await client.close();
await served.close();
await transport.close();
await listener.close();
await server.close();
