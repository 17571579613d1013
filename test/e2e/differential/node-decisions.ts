import { expect } from "vitest";
import type { ServerPair } from "../server-pair.js";
import { type Action, decide, pods } from "./access-reviews.js";

/** Compares the decisions about nodes, pods on them, and what these pods refer to. */
export async function checkNodes(pair: ServerPair): Promise<void> {
  await pair.create("/api/v1/namespaces", { metadata: { name: "team" } });
  await pair.create("/api/v1/nodes", { metadata: { name: "n1" } });
  await pair.create("/api/v1/nodes", { metadata: { name: "n2" } });
  await pair.create("/api/v1/namespaces/team/serviceaccounts", { metadata: { name: "default" } });
  await pair.create("/api/v1/namespaces/team/pods", {
    metadata: { name: "here" },
    spec: {
      nodeName: "n1",
      containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "used" } }] }],
      volumes: [
        { name: "v", configMap: { name: "used" } },
        { name: "d", persistentVolumeClaim: { claimName: "data" } },
      ],
      serviceAccountName: "default",
    },
  });
  const node = (user: string, action: Action): Promise<string> =>
    decide(pair, `system:node:${user}`, ["system:nodes", "system:authenticated"], action);
  const used: Action = { verb: "get", resource: "secrets", namespace: "team", name: "used" };
  // The real server learns of pods from a watch.
  await expect
    .poll(
      async () => {
        const spec = { user: "system:node:n1", groups: ["system:nodes"], resourceAttributes: used };
        const { real } = await pair.both({
          method: "POST",
          path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          json: { spec },
        });
        return (real.value as { status: { allowed: boolean } }).status.allowed;
      },
      { timeout: 20_000 },
    )
    .toBe(true);
  const rows: readonly (readonly [string, Action, string])[] = [
    ["n1", used, "allowed"],
    ["n2", used, "no opinion"],
    ["n1", { ...used, name: "other" }, "no opinion"],
    ["n1", { ...used, verb: "list" }, "allowed"],
    ["n1", { ...used, verb: "watch" }, "allowed"],
    ["n1", { ...used, verb: "delete" }, "no opinion"],
    ["n1", { ...used, resource: "configmaps" }, "allowed"],
    ["n2", { ...used, resource: "configmaps" }, "no opinion"],
    ["n1", { ...used, resource: "persistentvolumeclaims", name: "data" }, "allowed"],
    ["n1", { ...used, resource: "persistentvolumeclaims", name: "other" }, "no opinion"],
    [
      "n1",
      { verb: "create", resource: "serviceaccounts", subresource: "token", namespace: "team", name: "default" },
      "allowed",
    ],
    [
      "n2",
      { verb: "create", resource: "serviceaccounts", subresource: "token", namespace: "team", name: "default" },
      "no opinion",
    ],
    ["n1", pods("get", "team", { name: "here" }), "allowed"],
    ["n2", pods("get", "team", { name: "here" }), "no opinion"],
    ["n1", pods("list", ""), "no opinion"],
    ["n1", pods("delete", "team", { name: "here" }), "allowed"],
    ["n1", { verb: "get", resource: "nodes", name: "n1" }, "allowed"],
    ["n1", { verb: "get", resource: "nodes", name: "n2" }, "no opinion"],
    ["n1", { verb: "update", resource: "nodes", subresource: "status", name: "n1" }, "allowed"],
    [
      "n1",
      { verb: "get", group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease", name: "n1" },
      "allowed",
    ],
    [
      "n1",
      { verb: "get", group: "coordination.k8s.io", resource: "leases", namespace: "kube-node-lease", name: "n2" },
      "no opinion",
    ],
    ["n1", { verb: "get", group: "storage.k8s.io", resource: "csinodes", name: "n1" }, "allowed"],
    ["n1", { verb: "get", group: "storage.k8s.io", resource: "csinodes", name: "n2" }, "no opinion"],
    ["n1", { verb: "list", resource: "services" }, "allowed"],
    ["n1", { verb: "create", group: "authentication.k8s.io", resource: "tokenreviews" }, "allowed"],
    ["n1", { verb: "get", path: "/metrics" }, "no opinion"],
  ];
  for (const [user, action, expected] of rows)
    expect([user, action, await node(user, action)]).toEqual([user, action, expected]);
}
