// The port of simulated kubelets authenticates and authorizes requests by a real kube-apiserver.
import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { createKubeletServer } from "../../src/apiserver/kubelets/kubelet-server.js";
import { createKubeletListener } from "../../src/apiserver/node/kubelet-listener.js";
import { createKubeletReviews } from "../../src/cluster/nodes/kubelet-reviews.js";
import { ServiceAccount } from "../../src/kinds/core/v1.js";
import { ClusterRole, ClusterRoleBinding } from "../../src/kinds/rbac/v1.js";
import { requestToken } from "../../src/operations/request-token.js";
import { freshNamespace, missing, realClient } from "./cluster.js";

describe.skipIf(missing !== undefined)("the port of kubelets on a real kube-apiserver", () => {
  it("answers service accounts that may use the node, and refuses others", async () => {
    const client = await realClient();
    const namespace = await freshNamespace(client);
    const accounts = client.resource(ServiceAccount).namespace(namespace);
    const tokens = new Map<string, string>();
    for (const name of ["reader", "stranger"]) {
      await accounts.create({ metadata: { name } });
      tokens.set(name, (await requestToken(accounts, name)).token);
    }
    const name = `kubelet-${namespace}`;
    const subjects = [{ kind: "ServiceAccount", name: "reader", namespace }];
    await client
      .resource(ClusterRole)
      .create({ metadata: { name }, rules: [{ apiGroups: [""], resources: ["nodes/proxy"], verbs: ["get"] }] });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name };
    await client.resource(ClusterRoleBinding).create({ metadata: { name }, roleRef, subjects });

    const server = createKubeletServer({
      connection: { logs: () => undefined },
      findNode: () => "node-1",
      reviews: createKubeletReviews(client),
    });
    const { address: host, port, close } = await createKubeletListener({ webhook: true })(server);
    const ask = (path: string, method: string, token: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` };
        const sent = request({ host, port, path, method, headers, rejectUnauthorized: false, agent: false });
        sent.on("error", reject);
        sent.on("response", (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.end();
      });
    try {
      // RBAC answers from a cache that follows the binding.
      await expect.poll(() => ask("/healthz", "GET", tokens.get("reader")!), { timeout: 30_000 }).toBe(200);
      expect(await ask("/healthz", "GET", tokens.get("stranger")!)).toBe(403);
      expect(await ask("/healthz", "POST", tokens.get("reader")!)).toBe(403);
      expect(await ask("/metrics", "GET", tokens.get("reader")!)).toBe(403);
      expect(await ask("/healthz", "GET", "invalid")).toBe(401);
    } finally {
      await close();
    }
  });
});
