import { listen } from "../../../src/apiserver/node/listen.js";
import type { Cluster } from "../../../src/cluster/cluster.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { Pod, Secret } from "../../../src/kinds/core/v1.js";
import { RoleBinding } from "../../../src/kinds/rbac/v1.js";
import { openTransport } from "../../../src/node/connection/open-transport.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport } from "../../../src/transport/transport.js";

/** The token that no page may see. */
export const secretToken = "the-proxys-own-token";

/** Cluster with RBAC behind a port, and the transport of an administrator. Jane may view the namespace `web`. */
export interface Backend extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly url: string;
  readonly transport: Transport;
}

export async function startBackend(): Promise<Backend> {
  const admin = { name: "proxy", uid: "", groups: ["system:masters"], extra: {} };
  const cluster = await createCluster({
    server: { authorizationMode: "RBAC", tokens: new Map([[secretToken, admin]]) },
  });
  await cluster.server.load(`
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: Namespace
metadata: {name: bank}
`);
  const containers = [{ name: "main", image: "web:1" }];
  await cluster.client
    .resource(Pod)
    .namespace("web")
    .create({ metadata: { name: "shop" }, spec: { containers } });
  await cluster.client
    .resource(Secret)
    .namespace("bank")
    .create({ metadata: { name: "vault" }, stringData: { key: "gold" } });
  await cluster.client
    .resource(RoleBinding)
    .namespace("web")
    .create({
      metadata: { name: "jane" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    });
  await cluster.until(Pod, "web/shop", (pod) => pod?.status?.phase === "Running");
  const listener = await listen(cluster.server);
  const { transport: sockets } = await openTransport({ server: listener.url, token: secretToken, env: {} });
  // Connections that stay open between tests would count as left behind, so only WebSockets use some.
  const direct = handlerTransport(cluster.server.handle);
  const transport: Transport = {
    send: (request) =>
      direct.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${secretToken}` } }),
    connect: (request, protocols) => sockets.connect!(request, protocols),
    close: () => sockets.close(),
  };
  return {
    cluster,
    url: listener.url,
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await listener.close();
      await cluster.close();
    },
  };
}
