import type { Probe, Step, Topic } from "../probe.js";

type Json = Record<string, unknown>;

/** Kind with an empty list, and the same with a filled one. */
interface Case {
  readonly name: string;
  readonly collection: string;
  readonly type: readonly [apiVersion: string, kind: string];
  readonly empty: Json;
  readonly full: Json;
}

const rbac = "rbac.authorization.k8s.io/v1";
const template = {
  metadata: { labels: { a: "b" }, annotations: {} },
  spec: {
    containers: [{ name: "c", image: "i", args: [], env: [], ports: [] }],
    volumes: [],
    tolerations: [],
    nodeSelector: {},
  },
};
const fullTemplate = {
  metadata: { labels: { a: "b" } },
  spec: {
    containers: [
      { name: "c", image: "i", args: ["x"], env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
    ],
    nodeSelector: { a: "b" },
  },
};

const cases: readonly Case[] = [
  {
    name: "clusterrole",
    collection: `/apis/${rbac}/clusterroles`,
    type: [rbac, "ClusterRole"],
    empty: { rules: [] },
    full: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  },
  {
    name: "role",
    collection: `/apis/${rbac}/namespaces/\${ns}/roles`,
    type: [rbac, "Role"],
    empty: { rules: [] },
    full: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  },
  {
    name: "rule-parts",
    collection: `/apis/${rbac}/namespaces/\${ns}/roles`,
    type: [rbac, "Role"],
    empty: { rules: [{ apiGroups: [""], resources: ["pods"], resourceNames: [], verbs: ["get"] }] },
    full: { rules: [{ apiGroups: [""], resources: ["pods"], resourceNames: ["x"], verbs: ["get"] }] },
  },
  {
    name: "rolebinding",
    collection: `/apis/${rbac}/namespaces/\${ns}/rolebindings`,
    type: [rbac, "RoleBinding"],
    empty: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }, subjects: [] },
    full: {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "User", name: "x", apiGroup: "rbac.authorization.k8s.io" }],
    },
  },
  {
    name: "configmap",
    collection: "/api/v1/namespaces/${ns}/configmaps",
    type: ["v1", "ConfigMap"],
    empty: { data: {}, binaryData: {} },
    full: { data: { a: "b" } },
  },
  {
    name: "service",
    collection: "/api/v1/namespaces/${ns}/services",
    type: ["v1", "Service"],
    empty: { spec: { clusterIP: "None", selector: {}, ports: [] } },
    full: { spec: { clusterIP: "None", selector: { a: "b" }, ports: [{ port: 80 }] } },
  },
  {
    name: "endpointslice",
    collection: "/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices",
    type: ["discovery.k8s.io/v1", "EndpointSlice"],
    empty: { addressType: "IPv4", endpoints: [], ports: [] },
    full: { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }], ports: [{ port: 80 }] },
  },
  {
    name: "deployment",
    collection: "/apis/apps/v1/namespaces/${ns}/deployments",
    type: ["apps/v1", "Deployment"],
    empty: { spec: { selector: { matchLabels: { a: "b" }, matchExpressions: [] }, template } },
    full: { spec: { selector: { matchLabels: { a: "b" } }, template: fullTemplate } },
  },
  {
    name: "networkpolicy",
    collection: "/apis/networking.k8s.io/v1/namespaces/${ns}/networkpolicies",
    type: ["networking.k8s.io/v1", "NetworkPolicy"],
    empty: { spec: { podSelector: {}, ingress: [], policyTypes: [] } },
    full: { spec: { podSelector: {}, ingress: [{ from: [] }], policyTypes: ["Ingress"] } },
  },
  {
    name: "csinode",
    collection: "/apis/storage.k8s.io/v1/csinodes",
    type: ["storage.k8s.io/v1", "CSINode"],
    empty: { spec: { drivers: [] } },
    full: { spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: null }] } },
  },
  {
    name: "claimtemplate",
    collection: "/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaims",
    type: ["resource.k8s.io/v1", "ResourceClaim"],
    empty: { spec: { devices: { requests: [], constraints: [], config: [] } } },
    full: { spec: { devices: { requests: [] } } },
  },
  {
    name: "webhooks",
    collection: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    type: ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
    empty: { webhooks: [] },
    full: {
      webhooks: [
        {
          name: "a.b.c",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { url: "https://localhost:1/" },
          rules: [],
          matchConditions: [],
          namespaceSelector: {},
        },
      ],
    },
  },
  {
    name: "flowschema",
    collection: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    type: ["flowcontrol.apiserver.k8s.io/v1", "FlowSchema"],
    empty: { spec: { priorityLevelConfiguration: { name: "exempt" }, rules: [] } },
    full: {
      spec: {
        priorityLevelConfiguration: { name: "exempt" },
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "x" } }],
            resourceRules: [],
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
          },
        ],
      },
    },
  },
  {
    name: "ingress",
    collection: "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses",
    type: ["networking.k8s.io/v1", "Ingress"],
    empty: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, rules: [], tls: [] } },
    full: { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } }, tls: [{ hosts: [] }] } },
  },
  {
    name: "metadata",
    collection: "/api/v1/namespaces/${ns}/configmaps",
    type: ["v1", "ConfigMap"],
    empty: { metadata: { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] } },
    full: { metadata: { labels: { a: "b" } } },
  },
  {
    name: "serviceaccount",
    collection: "/api/v1/namespaces/${ns}/serviceaccounts",
    type: ["v1", "ServiceAccount"],
    empty: { secrets: [], imagePullSecrets: [] },
    full: { secrets: [{ name: "s" }] },
  },
  {
    name: "definition",
    collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    type: ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    empty: definition("empties", { shortNames: [], categories: [] }, { required: [], enum: [] }),
    full: definition("empties", { shortNames: ["em"] }, {}),
  },
];

function definition(plural: string, names: Json, schema: Json): Json {
  return {
    metadata: { name: `${plural}.\${ns}.dev` },
    spec: {
      group: "${ns}.dev",
      scope: "Namespaced",
      names: { plural, singular: "empty", kind: "Empty", listKind: "EmptyList", ...names },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [],
          selectableFields: [],
          schema: { openAPIV3Schema: { type: "object", ...schema } },
        },
      ],
    },
  };
}

function object({ type: [apiVersion, kind] }: Case, name: string, content: Json): Json {
  const { metadata, ...rest } = content;
  return { apiVersion, kind, metadata: { name, ...(metadata as Json | undefined) }, ...rest };
}

function probe(one: Case): Probe {
  const name = one.name === "definition" ? "empties.${ns}.dev" : `empty-${one.name}-\${ns}`;
  const path = `${one.collection}/${name}`;
  const send = (method: "PUT" | "POST", content: Json, manager: string): Step => ({
    method,
    path: `${method === "PUT" ? path : one.collection}?fieldManager=${manager}`,
    json: object(one, name, content),
  });
  const put = (content: Json, manager: string): readonly Step[] => [
    { method: "GET", path, silent: true, capture: { rv: "/metadata/resourceVersion" } },
    {
      ...send("PUT", content, manager),
      json: {
        ...object(one, name, content),
        metadata: { ...(object(one, name, content)["metadata"] as Json), resourceVersion: "${rv}" },
      },
    },
  ];
  const patch = (kind: string, content: unknown, manager: string): Step => ({
    method: "PATCH",
    path: `${path}?fieldManager=${manager}`,
    headers: { "content-type": `application/${kind}` },
    raw: JSON.stringify(content),
  });
  const gone: Step = { method: "DELETE", path: `${path}?gracePeriodSeconds=0`, silent: true };
  const { metadata: _metadata, ...content } = one.empty;
  return {
    id: one.name,
    steps: [
      send("POST", one.empty, "a"),
      ...put(one.full, "b"),
      ...put(one.empty, "c"),
      ...put(one.full, "d"),
      patch("merge-patch+json", content, "e"),
      ...put(one.full, "f"),
      ...(one.name === "definition" ? [] : [patch("strategic-merge-patch+json", content, "g")]),
      gone,
      patch("apply-patch+yaml", object(one, name, one.empty), "h"),
      patch("apply-patch+yaml", object(one, name, one.full), "h"),
      patch("apply-patch+yaml", object(one, name, one.empty), "h"),
      patch("apply-patch+yaml", object(one, name, one.empty), "i&force=true"),
      { ...gone, silent: true },
    ],
  };
}

/** Empty lists and maps, with every type of write. */
export const empties: Topic = { name: "empties", probes: cases.map(probe) };
