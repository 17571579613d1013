import {
  budgets,
  causes,
  core,
  leases,
  longAgo,
  maps,
  named,
  openSequences,
  pod,
  testSequences,
} from "./run-sequences.js";

const { send } = openSequences();

testSequences("creates and metadata", send, [
  [
    "a dry run of a create keeps resourceVersion and drops selfLink",
    [["POST", `${maps}?dryRun=All`, named("a", { resourceVersion: "1", selfLink: "/x" })]],
    { "/body/metadata/resourceVersion": "1", "/body/metadata/selfLink": undefined },
  ],
  [
    "a PUT that creates keeps deletionTimestamp and grace period",
    [["PUT", `${core}/limitranges/a`, named("a", { ...longAgo, generation: 9 }, { spec: { limits: [] } })]],
    {
      "/status": 201,
      "/body/metadata/deletionTimestamp": longAgo.deletionTimestamp,
      "/body/metadata/deletionGracePeriodSeconds": 5,
      "/body/metadata/generation": 9,
    },
  ],
  [
    "a dry run of a PUT that creates keeps selfLink",
    [
      [
        "PUT",
        `${core}/limitranges/a?dryRun=All`,
        named("a", { selfLink: "/x", resourceVersion: "1" }, { spec: { limits: [] } }),
      ],
    ],
    { "/body/metadata/selfLink": "/x", "/body/metadata/resourceVersion": "1" },
  ],
  [
    "a PUT that creates rejects a non-numeric resourceVersion",
    [["PUT", `${core}/limitranges/a`, named("a", { resourceVersion: "x" }, { spec: { limits: [] } })]],
    { "/status": 500 },
  ],
  [
    "a dry run of a PUT with an unknown uid is a conflict",
    [["PUT", `${leases}/a?dryRun=All`, named("a", { uid: "u" })]],
    { "/status": 409 },
  ],
  [
    "a create with name and generateName reports the taken name as generated",
    [
      ["POST", maps, named("a")],
      ["POST", maps, named("a", { generateName: "a" })],
    ],
    {
      "/status": 409,
      "/retryAfter": "1",
      "/body/message":
        'configmaps "a" already exists, the server was not able to generate a unique name for the object',
      "/body/details/retryAfterSeconds": 1,
    },
  ],
  [
    "a wrong namespace is reported before a wrong name",
    [
      ["POST", maps, named("a")],
      ["PUT", `${maps}/a`, named("b", { namespace: "other" })],
    ],
    {
      "/status": 400,
      "/body/message": "the namespace of the provided object does not match the namespace sent on the request",
    },
  ],
  [
    "a create with stringData owns the fields of data",
    [["POST", `${core}/secrets`, named("a", {}, { stringData: { k: "v" } })]],
    {
      "/body/metadata/managedFields/0/fieldsV1": { "f:data": { ".": {}, "f:k": {} }, "f:type": {} },
      "/body/data": { k: "dg==" },
    },
  ],
  [
    "a Lease accepts finalizers without a domain",
    [["POST", leases, named("a", { finalizers: ["short"] })]],
    { "/status": 201 },
  ],
  [
    "a Role rejects finalizers without a domain",
    [
      [
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
        named("a", { finalizers: ["", "short"] }),
      ],
    ],
    {
      "/status": 422,
      [causes("0/field")]: "metadata.finalizers",
      [causes("2/field")]: "metadata.finalizers[0]",
      [causes("3/field")]: "metadata.finalizers[1]",
      [causes("4")]: undefined,
    },
  ],
  [
    "a PodDisruptionBudget's metadata is validated after its spec",
    [["POST", budgets, named("a", { finalizers: ["short"], labels: { a: "!!" } }, { spec: { minAvailable: -1 } })]],
    { [causes("0/field")]: "spec.minAvailable", [causes("1")]: undefined },
  ],
  [
    "a PodDisruptionBudget's changed metadata is validated only once",
    [
      ["POST", budgets, named("a", {}, { spec: {} })],
      ["PATCH", `${budgets}/a`, { metadata: { deletionGracePeriodSeconds: 9 } }],
    ],
    { [causes("0/field")]: "metadata.deletionGracePeriodSeconds", [causes("1")]: undefined },
  ],
  [
    "a List is rejected in a create of a ConfigMap",
    [["POST", maps, { apiVersion: "v1", kind: "List", metadata: { name: "a" } }]],
    { "/status": 400 },
  ],
  [
    "a time with trailing characters is rejected",
    [["POST", maps, named("a", { creationTimestamp: "2001-01-01T00:00:00Zx" })]],
    { "/status": 400 },
  ],
  [
    "a Job with a generated name doesn't share labels with its template",
    [
      [
        "POST",
        "/apis/batch/v1/namespaces/default/jobs",
        {
          metadata: { generateName: "j-" },
          spec: {
            template: {
              metadata: { labels: { app: "a" } },
              spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
            },
          },
        },
      ],
    ],
    { "/status": 201, "/body/metadata/labels": { app: "a" } },
  ],
  [
    "an invalid generateName is rejected in an update",
    [
      ["POST", "/api/v1/namespaces", named("n")],
      ["PATCH", "/api/v1/namespaces/n", { metadata: { generateName: "In valid" } }],
    ],
    { "/status": 422, [causes("0/field")]: "metadata.generateName" },
  ],
  [
    "a new object is validated before its resourceVersion is rejected",
    [["POST", maps, named("a", { resourceVersion: "1", finalizers: ["orphan", "foregroundDeletion"] })]],
    { "/status": 422 },
  ],
  [
    "both values of a duplicate key are decoded",
    [["POST", `${core}/services`, '{"metadata":{"name":"a"},"spec":{"ports":[{"port":"x","port":81}]}}']],
    { "/status": 400 },
  ],
  [
    "a null in a map of bytes becomes an empty value",
    [
      ["POST", maps, named("a")],
      ["PATCH", `${maps}/a`, [{ op: "add", path: "/binaryData", value: { z: null } }], "application/json-patch+json"],
    ],
    { "/status": 200, "/body/binaryData": { z: "" } },
  ],
  [
    "a PersistentVolume's metadata is validated twice in a write to /status",
    [
      [
        "POST",
        "/api/v1/persistentvolumes",
        named(
          "v",
          {},
          { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], nfs: { server: "s", path: "/" } } },
        ),
      ],
      ["PATCH", "/api/v1/persistentvolumes/v/status", { metadata: { deletionGracePeriodSeconds: 9 } }],
    ],
    {
      [causes("0/field")]: "metadata.deletionGracePeriodSeconds",
      [causes("1/field")]: "metadata.deletionGracePeriodSeconds",
    },
  ],
  [
    "a ReplicationController with a name accepts any generateName",
    [
      [
        "POST",
        `${core}/replicationcontrollers`,
        named(
          "a",
          { generateName: "UPPER" },
          { spec: { selector: { a: "b" }, template: { metadata: { labels: { a: "b" } }, spec: pod.spec } } },
        ),
      ],
    ],
    { "/status": 201 },
  ],
  [
    "a generated name that is invalid is rejected",
    [["POST", "/apis/resource.k8s.io/v1/deviceclasses", named("", { generateName: "UPPER" }, { spec: {} })]],
    { "/status": 422, [causes("0/field")]: "metadata.name", [causes("1")]: undefined },
  ],
]);
