import { describe, expect, it } from "vitest";
import { nodeAuthorizer } from "../../../../src/apiserver/authorization/node.js";
import { createNodeGraph } from "../../../../src/apiserver/authorization/node-graph.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { resourceAttributes } from "../../../../src/apiserver/rbac/attributes.js";

const objects: Record<string, ApiObject[]> = {
  "/pods": [
    {
      metadata: { name: "web", namespace: "a" },
      spec: {
        nodeName: "n1",
        serviceAccountName: "robot",
        imagePullSecrets: [{ name: "pull" }],
        containers: [
          {
            name: "c",
            env: [{ name: "X", valueFrom: { secretKeyRef: { name: "env-secret", key: "x" } } }],
            envFrom: [{ configMapRef: { name: "env-map" } }],
          },
        ],
        volumes: [
          { name: "s", secret: { secretName: "vol-secret" } },
          { name: "p", projected: { sources: [{ configMap: { name: "projected" } }] } },
          { name: "c", persistentVolumeClaim: { claimName: "data" } },
          { name: "e", ephemeral: {} },
        ],
        resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }],
      },
      status: { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "web-gpu" }] },
    },
    {
      metadata: { name: "mirror", namespace: "a", annotations: { "kubernetes.io/config.mirror": "x" } },
      spec: { nodeName: "n1", imagePullSecrets: [{ name: "stolen" }] },
    },
    { metadata: { name: "other", namespace: "a" }, spec: { nodeName: "n2", imagePullSecrets: [{ name: "theirs" }] } },
  ],
  "/persistentvolumes": [
    {
      metadata: { name: "pv" },
      spec: {
        claimRef: { namespace: "a", name: "data" },
        csi: { driver: "d", volumeHandle: "h", nodeStageSecretRef: { namespace: "csi", name: "stage" } },
      },
    },
  ],
  "storage.k8s.io/volumeattachments": [{ metadata: { name: "va" }, spec: { nodeName: "n1" } }],
  "resource.k8s.io/resourceslices": [{ metadata: { name: "slice" }, spec: { nodeName: "n1" } }],
};

const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["services"] }];
const graph = createNodeGraph({ version: (bucket) => objects[bucket]!.length, list: (bucket) => objects[bucket]! });
const authorizer = nodeAuthorizer(graph, rules);

/** Authorizes `VERB RESOURCE[.GROUP][/SUBRESOURCE] NAMESPACE/NAME [FIELD=VALUE]`. */
function ask(text: string, name = "system:node:n1", groups = ["system:nodes"]): unknown {
  const [verb = "", what = "", place = "", selector] = text.split(" ");
  const [full = "", subresource = ""] = what.split("/");
  const [resource = "", ...group] = full.split(".");
  const [namespace = "", target = ""] = place.split("/");
  const [key = "", value = ""] = (selector ?? "").split("=");
  const user = { name, uid: "", groups, extra: {} };
  return authorizer.authorize(
    resourceAttributes(user, verb, {
      group: group.join("."),
      resource,
      subresource,
      namespace,
      name: target,
      ...(selector === undefined ? {} : { fieldSelector: [{ key, operator: "In", values: [value] }] }),
    }),
  );
}

describe("node authorizer", () => {
  it.each([
    "get secrets a/pull",
    "watch secrets a/env-secret",
    "list secrets a/vol-secret",
    "get secrets csi/stage",
    "get configmaps a/env-map",
    "get configmaps a/projected",
    "get persistentvolumeclaims a/data",
    "get persistentvolumeclaims a/web-e",
    "patch persistentvolumeclaims/status a/data",
    "get persistentvolumes /pv",
    "get volumeattachments.storage.k8s.io /va",
    "get resourceclaims.resource.k8s.io a/web-gpu",
    "delete resourceslices.resource.k8s.io /slice",
    "list resourceslices.resource.k8s.io / nodeName=n1",
    "create serviceaccounts/token a/robot",
    "update leases.coordination.k8s.io kube-node-lease/n1",
    "create leases.coordination.k8s.io kube-node-lease/",
    "get csinodes.storage.k8s.io /n1",
    "get nodes /n1",
    "create nodes /",
    "patch nodes/status /n2",
    "get pods a/web",
    "list pods / spec.nodeName=n1",
    "delete pods a/other",
    "create pods/eviction a/web",
    "get services a/any",
  ])("allows a node to %s", (action) => {
    expect(ask(action)).toMatchObject({ allowed: true });
  });

  it.each([
    ["get secrets a/theirs", "no relationship found between node 'n1' and this object"],
    ["get secrets a/stolen", "no relationship found between node 'n1' and this object"],
    ["create secrets a/pull", "can only read resources of this type"],
    ["list secrets a/", "No Object name found"],
    ["list secrets /pull", "can only read namespaced object of this type"],
    ["list persistentvolumes /pv", "can only get individual resources of this type"],
    ["create serviceaccounts/token a/default", "no relationship found between node 'n1' and this object"],
    ["update leases.coordination.k8s.io a/n1", 'can only access leases in the "kube-node-lease" system namespace'],
    [
      "update leases.coordination.k8s.io kube-node-lease/n2",
      "can only access node lease with the same name as the requesting node",
    ],
    ["get nodes /n2", "node 'n1' cannot read 'n2', only its own Node object"],
    ["list nodes /", "node 'n1' cannot read all nodes, only its own Node object"],
    ["list pods /", "can only list/watch pods with spec.nodeName field selector"],
    ["list pods / spec.nodeName=n2", "can only list/watch pods with spec.nodeName field selector"],
    ["get pods a/other", "no relationship found between node 'n1' and this object"],
    ["delete services a/any", ""],
  ])("leaves it to the next authorizer whether a node may %s", (action, reason) => {
    expect(ask(action)).toEqual({ allowed: false, reason });
  });

  it.each([
    ["system:node:n1", ["system:authenticated"], ""],
    ["jane", ["system:nodes"], ""],
    ["system:node:", ["system:nodes"], 'unknown node for user "system:node:"'],
  ])("has no opinion on the user %s in %j", (name, groups, reason) => {
    expect(ask("get secrets a/pull", name, groups)).toEqual({ allowed: false, reason });
  });

  it("sees pods that are added later", () => {
    expect(ask("get secrets b/late")).toMatchObject({ allowed: false });
    objects["/pods"]!.push({
      metadata: { name: "late", namespace: "b" },
      spec: { nodeName: "n1", imagePullSecrets: [{ name: "late" }] },
    });
    expect(ask("get secrets b/late")).toMatchObject({ allowed: true });
  });
});
