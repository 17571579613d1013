import type { Probe, Step, Topic } from "../../probe.js";
import type { Json } from "./steps.js";
import { core, one, patch, post, put, quiet, remove } from "./steps.js";

type Case = readonly [name: string, content: Json];

const c = { name: "c", image: "i" };
const template = (spec: Json = {}, metadata: Json = {}): Json => ({
  template: { metadata, spec: { containers: [c], ...spec } },
});
const claimTemplate = (metadata: Json): Json => ({ spec: { metadata, spec: {} } });
const quantity = (text: string): Json => ({ spec: { limits: [{ type: "example.com/x", max: { "x.y/z": text } }] } });
const storage = (text: string): Json => ({ provisioner: "p", storageClassName: "s", capacity: text });
const scaled = (apiVersion: string): Json => ({
  spec: { maxReplicas: 2, scaleTargetRef: { kind: "K", name: "n", apiVersion } },
});
const volume = (more: Json): Json => template({ volumes: [{ name: "v", ...more }] });
const ports = [
  { containerPort: 1, hostPort: 9 },
  { containerPort: 2, hostPort: 9 },
];

/** A kind with objects that have fields or values which common objects don't have. */
interface Family {
  readonly collection: string;
  readonly type: readonly [apiVersion: string, kind: string];
  readonly creates: readonly Case[];
  /** Changes of an object, from a valid one. */
  readonly updates?: { readonly from: Json; readonly to: readonly Case[] };
}

const prefix = (generateName: string): Case => [`prefix ${generateName}`, { metadata: { generateName } }];

const families: Readonly<Record<string, Family>> = {
  podtemplates: {
    collection: `${core}/podtemplates`,
    type: ["v1", "PodTemplate"],
    creates: [
      ...["In valid!", "a/b/c", "/x", "é", "UPPER/x", "x".repeat(64)].map(
        (key): Case => [`annotation ${key}`, template({}, { annotations: { [key]: "1" } })],
      ),
      ["ephemeral", template({ ephemeralContainers: [{}] })],
      ["ephemeral-named", template({ ephemeralContainers: [{ name: "c", image: "i", ports: [] }] })],
      ["pod-claims", template({ resources: { claims: [] } })],
      ["rules-of-starter", template({ initContainers: [{ ...c, name: "d", restartPolicyRules: [{}] }] })],
      ["rules", template({ containers: [{ ...c, restartPolicyRules: [{}] }] })],
      ["nameless", template({ containers: [{}, {}] })],
      ["pull-policy", template({ containers: [{ imagePullPolicy: "cpu" }] })],
      [
        "ports-of-starter",
        template({
          initContainers: [
            { ...c, name: "d" },
            { ...c, name: "e", ports },
          ],
        }),
      ],
      ["two-sources", volume({ hostPath: {}, quobyte: {} })],
      ["two-sources-later-first", volume({ gcePersistentDisk: {}, emptyDir: { sizeLimit: "-1" } })],
      ["second-spelling", volume({ cinder: {}, cephfs: {}, downwardAPI: {} })],
      ["source-and-secret", volume({ secret: {}, storageos: { volumeNamespace: "" } })],
      [
        "claim-template",
        volume({ ephemeral: { volumeClaimTemplate: { metadata: { name: "a", uid: "u", finalizers: [] }, spec: {} } } }),
      ],
      ["fine-requests", template({ containers: [{ ...c, resources: { requests: { cpu: "1n", memory: "1.0001" } } }] })],
    ],
  },
  resourceclaimtemplates: {
    collection: "/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaimtemplates",
    type: ["resource.k8s.io/v1", "ResourceClaimTemplate"],
    creates: [
      ["name", claimTemplate({ name: "a" })],
      ["uid", claimTemplate({ uid: "u", generation: 1, selfLink: "s" })],
      ["owners", claimTemplate({ ownerReferences: [], finalizers: [] })],
      ["time", claimTemplate({ creationTimestamp: "2024-01-01T00:00:00Z" })],
      ["null-time", claimTemplate({ creationTimestamp: null, labels: {}, annotations: {} })],
      ["annotation", claimTemplate({ annotations: { "a b": "" }, labels: { "a b": "" } })],
    ],
    updates: {
      from: { spec: { spec: {} } },
      to: [prefix("a/b"), prefix("UP"), ["name", claimTemplate({ name: "a" })]],
    },
  },
  limitranges: {
    collection: `${core}/limitranges`,
    type: ["v1", "LimitRange"],
    creates: [..."+1 +1k +3Ki +8Ki 007 1.500 1.000 0.5m 1n 1e-12 9E 100E 100Ei -100Ei 1e30 1e3".split(" ")].map(
      (text): Case => [text, quantity(text)],
    ),
    updates: {
      from: { spec: { limits: [] } },
      to: [prefix("a%"), ["grace", { metadata: { deletionGracePeriodSeconds: 5 }, spec: { limits: [] } }]],
    },
  },
  storagecapacities: {
    collection: "/apis/storage.k8s.io/v1/namespaces/${ns}/csistoragecapacities",
    type: ["storage.k8s.io/v1", "CSIStorageCapacity"],
    creates: ["+1", "1n", "1.500", "100E"].map((text): Case => [text, storage(text)]),
  },
  autoscalers: {
    collection: "/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers",
    type: ["autoscaling/v2", "HorizontalPodAutoscaler"],
    creates: ["/x", "x/", "v1", "", "a/b/c", "a/b"].map((version): Case => [`version ${version}`, scaled(version)]),
  },
  serviceaccounts: {
    collection: `${core}/serviceaccounts`,
    type: ["v1", "ServiceAccount"],
    creates: [["references", { secrets: [{ name: "a", namespace: "n", kind: "K", uid: "u" }, { apiVersion: "v1" }] }]],
    updates: { from: {}, to: [["references", { secrets: [{ name: "a", fieldPath: "x", resourceVersion: "1" }] }]] },
  },
  runtimeclasses: {
    collection: "/apis/node.k8s.io/v1/runtimeclasses",
    type: ["node.k8s.io/v1", "RuntimeClass"],
    creates: [["finalizer", { metadata: { finalizers: ["memory"] }, handler: "h" }]],
  },
  requests: {
    collection: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    type: ["certificates.k8s.io/v1", "CertificateSigningRequest"],
    creates: [["name-of-invalid", { metadata: { name: "a/b" }, spec: { request: "", signerName: "" } }]],
  },
  apiservices: {
    collection: "/apis/apiregistration.k8s.io/v1/apiservices",
    type: ["apiregistration.k8s.io/v1", "APIService"],
    creates: [
      [
        "prefix",
        {
          metadata: { name: "v1.rare.example", generateName: "b" },
          spec: { group: "rare.example", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 },
        },
      ],
    ],
  },
  deviceclasses: {
    collection: "/apis/resource.k8s.io/v1/deviceclasses",
    type: ["resource.k8s.io/v1", "DeviceClass"],
    creates: [prefix("a/b")],
  },
  volumes: {
    collection: "/api/v1/persistentvolumes",
    type: ["v1", "PersistentVolume"],
    creates: [
      ["fine", { spec: { capacity: { storage: "0.5m" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } } }],
      ["two-secrets", { spec: { cinder: { secretRef: {} }, glusterfs: {} } }],
    ],
  },
};

const schema = (size: string): Json => ({
  openAPIV3Schema: {
    type: "object",
    properties: { spec: { type: "object", properties: { name: { type: "string" }, [size]: { type: "integer" } } } },
  },
});
const selectable = [{ jsonPath: ".spec.name" }];
const named = (versions: readonly Json[], metadata: Json = {}): Json => ({
  metadata: { name: "rares.${ns}.dev", ...metadata },
  spec: {
    group: "${ns}.dev",
    scope: "Namespaced",
    names: { plural: "rares", kind: "Rare" },
    versions: versions.map((version, index) => ({
      name: `v${String(index + 1)}`,
      served: true,
      storage: index === 0,
      ...version,
    })),
  },
});
const same = schema("a");
const other = schema("b");

/** Fields for selectors of definitions with shared and different schemas. */
const definitions: Family = {
  collection: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  type: ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  creates: [
    ["selectable", named([{ schema: same, selectableFields: selectable }])],
    ["selectable-of-one", named([{ schema: same, selectableFields: selectable }, { schema: same }])],
    ["selectable-of-another", named([{ schema: same }, { schema: same, selectableFields: selectable }])],
    [
      "selectable-of-both",
      named([
        { schema: same, selectableFields: selectable },
        { schema: other, selectableFields: selectable },
      ]),
    ],
    ["selectable-of-different", named([{ schema: same, selectableFields: selectable }, { schema: other }])],
    ["prefix", named([{ schema: same }], { generateName: "rares" })],
  ],
};

function probesOf([family, { collection, type, creates, updates }]: [string, Family]): Probe[] {
  const object = (name: string, { metadata, ...content }: Json): Json => ({
    apiVersion: type[0],
    kind: type[1],
    metadata: { name, ...(metadata as Json | undefined) },
    ...content,
  });
  const created = creates.map(([name, content]) =>
    one(`${family}/new ${name}`, post(`${collection}?dryRun=All`, object("rare", content))),
  );
  if (updates === undefined) return created;
  const path = `${collection}/rare`;
  const changed = updates.to.map(([name, content]) =>
    one(`${family}/change ${name}`, put(`${path}?dryRun=All`, object("rare", content))),
  );
  return [
    ...created,
    one(`${family}/first`, quiet(post(collection, object("rare", updates.from)))),
    ...changed,
    one(`${family}/last`, quiet(remove(path))),
  ];
}

const nodeStatus = (status: Json): Step => patch("/api/v1/nodes/rare/status?dryRun=All", "merge", { status });
const podStatus = (status: Json): Step => patch(`${core}/pods/rare/status?dryRun=All`, "merge", { status });

/** A pod without containers in a namespace with default limits. */
const limited: Probe = one(
  "limited/no-containers",
  quiet(
    post(`${core}/limitranges`, {
      metadata: { name: "rare" },
      spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
    }),
  ),
  post(`${core}/pods?dryRun=All`, { metadata: { name: "rare" }, spec: {} }),
  quiet(remove(`${core}/limitranges/rare`)),
);

const statuses: Probe = one(
  "statuses",
  quiet(post("/api/v1/nodes", { metadata: { name: "rare" } })),
  quiet(post(`${core}/pods`, { metadata: { name: "rare" }, spec: { containers: [c] } })),
  nodeStatus({ capacity: { cpu: "1n", memory: "1.5001" }, allocatable: { "x.y/z": "0.5m" } }),
  podStatus({ nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: "a", resources: {} }] }),
  podStatus({ resources: { requests: { cpu: "1n" } } }),
  quiet(remove("/api/v1/nodes/rare")),
  quiet(remove(`${core}/pods/rare?gracePeriodSeconds=0`)),
);

const reviews = "/apis/authorization.k8s.io/v1";
const attributes = { namespace: "${ns}", verb: "get", resource: "pods" };
const unstored = { uid: "u", creationTimestamp: "2024-01-01T00:00:00Z", deletionGracePeriodSeconds: 3, selfLink: "s" };
const binding = (metadata: Json): Json => ({ metadata: { name: "rare", ...metadata }, target: { name: "n" } });

/** Metadata of objects that aren't stored. */
const posted: readonly Probe[] = [
  one(
    "posted/reviews",
    post(`${reviews}/subjectaccessreviews`, {
      metadata: unstored,
      spec: { user: "alice", resourceAttributes: attributes },
    }),
    post(`${reviews}/namespaces/\${ns}/localsubjectaccessreviews`, {
      metadata: unstored,
      spec: { user: "alice", resourceAttributes: attributes },
    }),
    post(`${reviews}/selfsubjectaccessreviews`, { metadata: { name: "x" }, spec: { resourceAttributes: attributes } }),
    post("/apis/authentication.k8s.io/v1/tokenreviews", { metadata: unstored, spec: { token: "x" } }),
  ),
  one(
    "posted/bindings",
    quiet(post(`${core}/pods`, { metadata: { name: "rare" }, spec: { containers: [c] } })),
    ...[
      { resourceVersion: "a" },
      { resourceVersion: "1" },
      { uid: "u" },
      { namespace: "other" },
      { name: "" },
      { deletionGracePeriodSeconds: 1 },
    ].flatMap((metadata): Step[] => [
      post(`${core}/bindings?dryRun=All`, binding(metadata)),
      post(`${core}/pods/rare/binding?dryRun=All`, binding(metadata)),
    ]),
    quiet(remove(`${core}/pods/rare?gracePeriodSeconds=0`)),
  ),
];

/** Fields and values that common objects don't have. */
export const rareFields: Topic = {
  name: "rare-fields",
  probes: [...Object.entries({ ...families, definitions }).flatMap(probesOf), limited, statuses, ...posted],
};
