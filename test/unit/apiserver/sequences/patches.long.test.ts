import { expect } from "vitest";
import {
  applied,
  budgets,
  causes,
  core,
  leases,
  maps,
  named,
  openSequences,
  pod,
  testSequences,
  trinket,
  trinkets,
} from "./run-sequences.js";

const { send } = openSequences();

testSequences("patches and applies", send, [
  [
    "an apply with stringData owns the fields of stringData",
    [
      [
        "PATCH",
        `${core}/secrets/a?fieldManager=m`,
        { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { k: "v" } },
        applied,
      ],
    ],
    { "/body/metadata/managedFields/0/fieldsV1": { "f:stringData": { "f:k": {} } } },
  ],
  [
    "a successful apply warns about duplicate keys",
    [
      [
        "PATCH",
        `${maps}/a?fieldManager=m`,
        '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: "1", k: "2"}}',
        applied,
      ],
    ],
    { "/status": 201, "/warning": '299 - "line 1: key \\"k\\" already set in map"' },
  ],
  [
    "a failed apply doesn't warn about duplicate keys",
    [
      [
        "PATCH",
        `${maps}/a?fieldManager=m`,
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: 1, k: 2}, odd: 1}",
        applied,
      ],
    ],
    { "/status": 500, "/warning": null },
  ],
  [
    "an apply with an invalid time fails",
    [
      [
        "PATCH",
        `${leases}/a?fieldManager=m`,
        {
          apiVersion: "coordination.k8s.io/v1",
          kind: "Lease",
          metadata: { name: "a" },
          spec: { renewTime: "2001-01-01T00:00:00Z" },
        },
        applied,
      ],
    ],
    { "/status": 500 },
  ],
  [
    "a merge patch that removes apiVersion is rejected",
    [
      ["POST", maps, named("a", {}, { data: { k: "v" } })],
      ["PATCH", `${maps}/a`, { apiVersion: null }],
    ],
    {
      "/status": 400,
      "/warning": '299 - "unknown field \\"data\\"", 299 - "unknown field \\"metadata\\""',
      "/body/message": "the name of the object (a based on URL) was undeterminable: name must be provided",
    },
  ],
  [
    "an apply reports schema errors before a uid mismatch",
    [
      [
        "PATCH",
        `${maps}/a?fieldManager=m`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "y" }, odd: 1 },
        applied,
      ],
    ],
    { "/status": 500, "/body/reason": undefined },
  ],
  [
    "an apply with a uid to a missing object is a conflict",
    [
      [
        "PATCH",
        `${maps}/a?fieldManager=m`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", uid: "y" } },
        applied,
      ],
    ],
    {
      "/status": 409,
      "/body/message":
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid y, and no existing object was found',
    },
  ],
  [
    "an apply reports conversion errors before duplicate keys",
    [
      [
        "PATCH",
        `${leases}/a?fieldManager=m`,
        '{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a}, spec: {holderIdentity: x, holderIdentity: y, renewTime: "2001-01-01T00:00:00Z"}}',
        applied,
      ],
    ],
    { "/status": 500, "/warning": null },
  ],
  [
    "an apply with a numeric timestamp fails",
    [
      [
        "PATCH",
        `${leases}/a?fieldManager=m`,
        { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "a", creationTimestamp: 1 } },
        applied,
      ],
    ],
    { "/status": 500 },
  ],
  [
    "an apply to a PodDisruptionBudget requires a resourceVersion",
    [
      ["POST", budgets, named("b", {}, { spec: {} })],
      [
        "PATCH",
        `${budgets}/b?fieldManager=m&force=true`,
        {
          apiVersion: "policy/v1",
          kind: "PodDisruptionBudget",
          metadata: { name: "b", resourceVersion: "" },
          spec: { minAvailable: 0 },
        },
        applied,
      ],
    ],
    { "/status": 422, "/body/details/kind": "poddisruptionbudgets", [causes("0/field")]: "metadata.resourceVersion" },
  ],
  [
    "duplicate owners cause a warning even in a conflict",
    [
      ["POST", maps, named("a")],
      [
        "PUT",
        `${maps}/a`,
        named("a", {
          resourceVersion: "1",
          ownerReferences: [
            { apiVersion: "v1", kind: "A", name: "o", uid: "u" },
            { apiVersion: "v1", kind: "A", name: "o", uid: "u" },
          ],
        }),
      ],
    ],
    { "/status": 409, "/warning": expect.stringContaining("duplicate UID(s) observed: u") },
  ],
  [
    "invalid managedFields in a patch are ignored",
    [
      ["POST", maps, named("a", {}, { data: { k: "v" } })],
      [
        "PATCH",
        `${maps}/a`,
        {
          metadata: {
            managedFields: [
              {
                manager: "x",
                operation: "Update",
                apiVersion: "v1",
                fieldsType: "FieldsV1",
                fieldsV1: { "f:data": true },
              },
            ],
          },
        },
      ],
    ],
    {
      "/body/metadata/managedFields/0/manager": "unknown",
      "/body/metadata/managedFields/0/fieldsV1": { "f:data": { ".": {}, "f:k": {} } },
    },
  ],
  [
    "a strategic patch with an invalid kind is rejected",
    [
      ["POST", maps, named("a")],
      ["PATCH", `${maps}/a`, { kind: [null], metadata: 5 }, "application/strategic-merge-patch+json"],
    ],
    { "/status": 422 },
  ],
  [
    "a strategic patch with a numeric apiVersion is rejected",
    [
      ["POST", maps, named("a")],
      ["PATCH", `${maps}/a`, { apiVersion: -1 }, "application/strategic-merge-patch+json"],
    ],
    { "/status": 422 },
  ],
  [
    "a patch of a missing object answers 404, even if the patch is invalid",
    [["PATCH", `${maps}/a`, {}, "application/json-patch+json"]],
    { "/status": 404 },
  ],
  [
    "a patch of a missing object's Scale answers 404, even if the patch is invalid",
    [["PATCH", "/apis/apps/v1/namespaces/default/deployments/a/scale", {}, "application/json-patch+json"]],
    { "/status": 404 },
  ],
  [
    "managers of /scale precede those of the object",
    [
      [
        "POST",
        "/apis/apps/v1/namespaces/default/replicasets?fieldManager=p",
        named(
          "a",
          {},
          {
            spec: {
              minReadySeconds: 3,
              selector: { matchLabels: { a: "b" } },
              template: { metadata: { labels: { a: "b" } }, spec: pod.spec },
            },
          },
        ),
      ],
      ["PATCH", "/apis/apps/v1/namespaces/default/replicasets/a/scale?fieldManager=p", { spec: { replicas: 3 } }],
      [
        "PATCH",
        "/apis/apps/v1/namespaces/default/replicasets/a?fieldManager=m",
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          metadata: { name: "a" },
          spec: { replicas: 2, minReadySeconds: 1 },
        },
        applied,
      ],
    ],
    {
      "/body/message":
        'Apply failed with 2 conflicts: conflicts with "p" with subresource "scale" using apps/v1:\n- .spec.replicas\nconflicts with "p" using apps/v1:\n- .spec.minReadySeconds',
    },
  ],
  [
    "a patch that removes apiVersion reports a resourceVersion conflict first",
    [
      ["POST", trinkets, trinket("a")],
      ["PATCH", `${trinkets}/a`, { apiVersion: null, metadata: { resourceVersion: "2" } }],
    ],
    { "/status": 409 },
  ],
  [
    "a patch that removes apiVersion reports invalid metadata first",
    [
      ["POST", trinkets, trinket("a")],
      [
        "PATCH",
        `${trinkets}/a`,
        [{ op: "move", from: "/apiVersion", path: "/metadata/creationTimestamp" }],
        "application/json-patch+json",
      ],
    ],
    { "/status": 422 },
  ],
  [
    "a patch that empties apiVersion warns only about unknown metadata",
    [
      ["POST", trinkets, trinket("a")],
      ["PATCH", `${trinkets}/a`, { apiVersion: "", odd: 1, metadata: { odd: 1 } }],
    ],
    {
      "/status": 500,
      "/warning": '299 - "unknown field \\"metadata.odd\\""',
      "/body/message": "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    },
  ],
]);
