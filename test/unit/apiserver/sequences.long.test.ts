import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import { definitions } from "../../differential/random/kinds.js";

type Json = Record<string, unknown>;
type Step = readonly [method: string, path: string, body?: unknown, type?: string, accept?: string];

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

async function send([
  method,
  path,
  body,
  type = method === "PATCH" ? "application/merge-patch+json" : "application/json",
  accept = "application/json",
]: Step): Promise<Json> {
  const bytes =
    type === "application/cbor"
      ? cbor().encode(body as object)
      : typeof body === "string"
        ? body
        : JSON.stringify(body);
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: { accept, ...(body === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body: bytes as BodyInit }),
    }),
  );
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    warning: response.headers.get("warning"),
    retryAfter: response.headers.get("retry-after"),
    body: await response.json(),
  };
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((holder, key) => (holder as Json | undefined)?.[key], value);
}

const core = "/api/v1/namespaces/default";
const maps = `${core}/configmaps`;
const pods = `${core}/pods`;
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const trinkets = "/apis/random.cf.dev/v1/namespaces/default/trinkets";
const gadgets = "/apis/random.cf.dev/v1/namespaces/default/gadgets";
const applied = "application/apply-patch+yaml";
const named = (name: string, more: Json = {}, rest: Json = {}): Json => ({ metadata: { name, ...more }, ...rest });
const trinket = (name: string, more: Json = {}, rest: Json = {}): Json => ({
  apiVersion: "random.cf.dev/v1",
  kind: "Trinket",
  ...named(name, more, rest),
});
const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
const slices = "/apis/resource.k8s.io/v1/resourceslices";
const slice = named(
  "s",
  {},
  {
    spec: {
      driver: "d.example",
      nodeName: "n",
      pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      devices: [{ name: "d", attributes: { numa: { int: 1 } } }],
    },
  },
);
const daemons = "/apis/apps/v1/namespaces/default/daemonsets";
const counted = "deprecated.daemonset.template.generation";
const daemon = (annotations: Json): Json =>
  named(
    "a",
    { annotations },
    { spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod.spec } } },
  );
const causes = (field: string): string => `/body/details/causes/${field}`;
const longAgo = { deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 };

/** Expected response of kube-apiserver to the last request in a sequence. */
const table: readonly (readonly [what: string, steps: readonly Step[], expected: Readonly<Record<string, unknown>>])[] =
  [
    [
      "an object that loses its last finalizer is returned unchanged",
      [
        ["POST", `${core}/serviceaccounts`, named("a", { finalizers: ["orphan"] })],
        ["DELETE", `${core}/serviceaccounts/a?propagationPolicy=Background`],
      ],
      { "/status": 200, "/body/kind": "ServiceAccount", "/body/metadata/finalizers": ["orphan"] },
    ],
    [
      "a dry run of that deletion returns an empty object",
      [
        ["POST", maps, named("a", { finalizers: ["orphan"] })],
        ["DELETE", `${maps}/a?propagationPolicy=Background&dryRun=All`],
      ],
      { "/body": { kind: "ConfigMap", apiVersion: "v1", metadata: {} } },
    ],
    [
      "a dry run of a Service deletion that removes the last finalizer returns an empty Service",
      [
        ["POST", `${core}/services`, named("a", { finalizers: ["orphan"] }, { spec: { ports: [{ port: 80 }] } })],
        ["DELETE", `${core}/services/a?propagationPolicy=Background&dryRun=All`],
      ],
      { "/body": { kind: "Service", apiVersion: "v1", metadata: {}, spec: {}, status: { loadBalancer: {} } } },
    ],
    [
      "a dry run of a custom resource deletion that removes the last finalizer returns only its type",
      [
        ["POST", trinkets, trinket("a", { finalizers: ["orphan"] })],
        ["DELETE", `${trinkets}/a?propagationPolicy=Background&dryRun=All`],
      ],
      { "/body": { kind: "Trinket", apiVersion: "random.cf.dev/v1" } },
    ],
    [
      "a deleted StorageClass is returned in the response",
      [
        ["POST", "/apis/storage.k8s.io/v1/storageclasses", named("a", {}, { provisioner: "a/b" })],
        ["DELETE", "/apis/storage.k8s.io/v1/storageclasses/a"],
      ],
      { "/body/kind": "StorageClass" },
    ],
    [
      "a namespace gets the finalizer of its propagation policy",
      [
        ["POST", "/api/v1/namespaces", named("n")],
        ["DELETE", "/api/v1/namespaces/n?propagationPolicy=Foreground"],
      ],
      { "/body/metadata/finalizers": ["foregroundDeletion"], "/body/status/phase": "Terminating" },
    ],
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
      "managed fields of another group are dropped from a custom resource",
      [
        [
          "POST",
          trinkets,
          trinket("a", {
            managedFields: [
              {
                manager: "x",
                operation: "Update",
                apiVersion: "apps/v1",
                fieldsType: "FieldsV1",
                fieldsV1: { "f:data": {} },
              },
            ],
          }),
        ],
      ],
      { "/status": 201, "/body/metadata/managedFields": undefined },
    ],
    [
      "a custom resource without apiVersion is rejected with a warning about its metadata",
      [["POST", trinkets, { kind: "Trinket", metadata: { name: "a", odd: 1 }, odd: 1 }]],
      {
        "/status": 400,
        "/warning": '299 - "unknown field \\"metadata.odd\\""',
        "/body/message": "the API version in the data () does not match the expected API version (random.cf.dev/v1)",
      },
    ],
    [
      "a custom resource without apiVersion is rejected under strict validation",
      [["POST", `${trinkets}?fieldValidation=Strict`, { kind: "Trinket", metadata: { name: "a", odd: 1 } }]],
      { "/status": 400 },
    ],
    [
      "a custom resource of the wrong kind isn't validated against the schema",
      [["POST", trinkets, { ...trinket("a", { labels: { a: "!!" } }, { odd: 1 }), kind: "Other" }]],
      {
        "/status": 422,
        "/warning": null,
        "/body/message": 'Other.random.cf.dev "a" is invalid: kind: Invalid value: "Other": must be Trinket',
      },
    ],
    [
      "validation rules don't run without a name",
      [["POST", trinkets, { apiVersion: "random.cf.dev/v1", kind: "Trinket", metadata: {} }]],
      { [causes("0/field")]: "metadata.name", [causes("1/field")]: "<nil>", [causes("2")]: undefined },
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
      "a GET of a custom resource's Scale rejects an invalid resourceVersion",
      [
        ["POST", gadgets, { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" } }],
        ["GET", `${gadgets}/a/scale?resourceVersion=abc`],
      ],
      { "/status": 500 },
    ],
    [
      "an evicted pod gets the condition DisruptionTarget",
      [
        ["POST", pods, { ...pod, metadata: { name: "p", finalizers: ["x.example/y"] } }],
        ["POST", `${pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
        ["GET", `${pods}/p`],
      ],
      {
        "/body/status/conditions/0/type": "DisruptionTarget",
        "/body/status/conditions/0/reason": "EvictionByEvictionAPI",
        "/body/status/conditions/0/message": "Eviction API: evicting",
      },
    ],
    [
      "an eviction accepts an empty resourceVersion as precondition",
      [
        ["POST", pods, pod],
        [
          "POST",
          `${pods}/p/eviction`,
          { metadata: { name: "p" }, deleteOptions: { preconditions: { resourceVersion: "" } } },
        ],
      ],
      { "/status": 201 },
    ],
    [
      "an eviction rejects an empty uid as precondition",
      [
        ["POST", pods, pod],
        ["POST", `${pods}/p/eviction`, { metadata: { name: "p" }, deleteOptions: { preconditions: { uid: "" } } }],
      ],
      { "/status": 409 },
    ],
    [
      "an evicted pod's condition has all fields of the struct",
      [
        ["POST", pods, { ...pod, metadata: { name: "p", finalizers: ["x.example/y"] } }],
        ["POST", `${pods}/p/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }],
        ["GET", `${pods}/p`],
      ],
      { "/body/status/conditions/0/lastProbeTime": null },
    ],
    [
      "a PUT to /status creates a Service",
      [["PUT", `${core}/services/a/status`, named("a", {}, { spec: { ports: [{ port: 80 }] } })]],
      { "/status": 201, "/body/spec/type": "ClusterIP" },
    ],
    [
      "a Service keeps its node ports when allocateLoadBalancerNodePorts becomes false",
      [
        [
          "POST",
          `${core}/services`,
          named("a", {}, { spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30023 }] } }),
        ],
        ["PATCH", `${core}/services/a`, { spec: { allocateLoadBalancerNodePorts: false } }],
      ],
      { "/status": 200, "/body/spec/ports/0/nodePort": 30023 },
    ],
    [
      "node ports are matched by port name on updates",
      [
        [
          "POST",
          `${core}/services`,
          named("a", {}, { spec: { type: "NodePort", ports: [{ port: 80, name: "x", nodePort: 30024 }] } }),
        ],
        ["PUT", `${core}/services/a`, named("a", {}, { spec: { type: "NodePort", ports: [{ port: 81, name: "x" }] } })],
      ],
      { "/status": 200, "/body/spec/ports/0/nodePort": 30024 },
    ],
    [
      "a template with hostNetwork may omit hostPort",
      [
        [
          "POST",
          "/apis/apps/v1/namespaces/default/deployments",
          named(
            "a",
            {},
            {
              spec: {
                selector: { matchLabels: { a: "b" } },
                template: {
                  metadata: { labels: { a: "b" } },
                  spec: { hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 82 }] }] },
                },
              },
            },
          ),
        ],
      ],
      { "/status": 201, "/body/spec/template/spec/containers/0/ports/0/hostPort": undefined },
    ],
    [
      "matchLabelKeys and mismatchLabelKeys become selector requirements",
      [
        [
          "POST",
          pods,
          {
            metadata: { name: "p", labels: { a: "1", b: "2" } },
            spec: {
              ...pod.spec,
              affinity: {
                podAffinity: {
                  requiredDuringSchedulingIgnoredDuringExecution: [
                    { topologyKey: "zone", labelSelector: {}, matchLabelKeys: ["a", "none"], mismatchLabelKeys: ["b"] },
                  ],
                },
              },
            },
          },
        ],
      ],
      {
        "/body/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/labelSelector": {
          matchExpressions: [
            { key: "a", operator: "In", values: ["1"] },
            { key: "b", operator: "NotIn", values: ["2"] },
          ],
        },
      },
    ],
    [
      "DeleteOptions of another known kind are rejected",
      [["DELETE", `${maps}/a`, { apiVersion: "v1", kind: "Status" }]],
      { "/status": 400 },
    ],
    [
      "DeleteOptions of a kind that isn't an options kind are rejected",
      [["DELETE", `${maps}/a`, { apiVersion: "v1", kind: "ConfigMap" }]],
      { "/status": 400 },
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
      "a second deletion of a CustomResourceDefinition sets its grace period to 0",
      [
        [
          "PATCH",
          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trinkets.random.cf.dev",
          { metadata: { finalizers: ["a.test/hold"] } },
        ],
        ["DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trinkets.random.cf.dev"],
        ["DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trinkets.random.cf.dev"],
      ],
      { "/body/metadata/deletionGracePeriodSeconds": 0 },
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
      "an invalid timeout is reported in JSON, not CBOR",
      [["GET", `${maps}?timeout=x`, undefined, undefined, "application/cbor"]],
      { "/status": 400, "/type": "application/json" },
    ],
    [
      "an unsupported method is reported in JSON, not CBOR",
      [["PATCH", `${core}/serviceaccounts/a/token`, {}, "application/merge-patch+json", "application/cbor"]],
      { "/status": 405, "/type": "application/json" },
    ],
    [
      "an unknown patch type is reported in JSON, not CBOR",
      [["PATCH", `${maps}/a`, {}, "text/plain", "application/cbor"]],
      { "/status": 415, "/type": "application/json" },
    ],
    [
      "a 415 for a custom resource lists Protobuf",
      [["POST", trinkets, trinket("a"), "text/plain"]],
      {
        "/status": 415,
        "/body/message":
          "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor",
      },
    ],
    [
      "/finalize of a namespace doesn't support Tables",
      [
        ["POST", "/api/v1/namespaces", named("n")],
        ["PUT", "/api/v1/namespaces/n/finalize", named("n"), undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"],
      ],
      { "/status": 406 },
    ],
    [
      "/finalize of a namespace supports PartialObjectMetadata",
      [
        ["POST", "/api/v1/namespaces", named("n")],
        [
          "PUT",
          "/api/v1/namespaces/n/finalize",
          named("n"),
          undefined,
          "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        ],
      ],
      { "/body/kind": "PartialObjectMetadata" },
    ],
    [
      "a TokenRequest supports PartialObjectMetadata",
      [
        ["POST", `${core}/serviceaccounts`, named("a")],
        [
          "POST",
          `${core}/serviceaccounts/a/token`,
          { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
          undefined,
          "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        ],
      ],
      { "/status": 201, "/body/kind": "PartialObjectMetadata", "/body/metadata/name": "a" },
    ],
    [
      "a namespace deleted with orphanDependents=false gets the foreground finalizer",
      [
        ["POST", "/api/v1/namespaces", named("n")],
        ["DELETE", "/api/v1/namespaces/n", { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: false }],
      ],
      { "/body/metadata/finalizers": ["foregroundDeletion"] },
    ],
    [
      "a list of one name with a limit reads the latest state",
      [
        ["POST", maps, named("a")],
        ["GET", `${maps}?fieldSelector=metadata.name%3Da&limit=2&resourceVersion=1`],
      ],
      { "/body/items/0/metadata/name": "a" },
    ],
    [
      "a list of one name with a limit doesn't wait for a future resourceVersion",
      [["GET", `${maps}?fieldSelector=metadata.name%3Da&limit=2&resourceVersion=99999`]],
      { "/status": 504, "/retryAfter": null },
    ],
    [
      "a Service without a name is rejected for its address",
      [["POST", `${core}/services`, named("", {}, { spec: { clusterIP: "10.0.0.9", ports: [{ port: -1 }] } })]],
      { [causes("0/field")]: "spec.clusterIPs", [causes("1")]: undefined },
    ],
    [
      "a dry run of a Service without a name is rejected for its name",
      [["POST", `${core}/services?dryRun=All`, named("", {}, { spec: { ports: [{ port: 80 }] } })]],
      { [causes("0/field")]: "metadata.name", [causes("1")]: undefined },
    ],
    [
      "a dry run of a Service returns values outside of the allocation ranges",
      [
        [
          "POST",
          `${core}/services?dryRun=All`,
          named(
            "a",
            {},
            {
              spec: {
                type: "LoadBalancer",
                externalTrafficPolicy: "Local",
                ports: [
                  { port: 80, name: "x" },
                  { port: 80, name: "y", protocol: "UDP" },
                ],
              },
            },
          ),
        ],
      ],
      {
        "/body/spec/clusterIP": "10.0.0.0",
        "/body/spec/ports/0/nodePort": 32769,
        "/body/spec/ports/1/nodePort": 32769,
        "/body/spec/healthCheckNodePort": 32770,
      },
    ],
    [
      "an unavailable node port is the only reported error",
      [
        [
          "POST",
          `${core}/services`,
          named("a", {}, { spec: { type: "NodePort", ports: [{ port: -1, nodePort: 5 }] } }),
        ],
      ],
      { [causes("0/field")]: "spec.ports[0].nodePort", [causes("1")]: undefined },
    ],
    [
      "a duplicate node port is an internal error",
      [
        ["POST", `${core}/services`, named("a", {}, { spec: { type: "NodePort", ports: [{ port: 80, name: "x" }] } })],
        [
          "PATCH",
          `${core}/services/a`,
          {
            spec: {
              ports: [
                { port: 80, name: "x", nodePort: 30040 },
                { port: 81, name: "y", nodePort: 30040 },
              ],
            },
          },
        ],
      ],
      { "/status": 500, "/body/message": "duplicate nodePort: {TCP 30040}" },
    ],
    [
      "a Service created through /status has no cluster IP",
      [
        ["PUT", `${core}/services/a/status`, named("a", {}, { spec: { ports: [{ port: 80 }] } })],
        ["PATCH", `${core}/services/a`, { metadata: { labels: { a: "b" } } }],
      ],
      { "/body/spec/clusterIP": undefined, "/body/spec/ipFamilies": ["IPv4"] },
    ],
    [
      "a headless Service created through /status must specify clusterIPs",
      [["PUT", `${core}/services/a/status`, named("a", {}, { spec: { clusterIP: "None", ports: [{ port: 80 }] } })]],
      { [causes("0/field")]: "spec.clusterIPs", [causes("0/reason")]: "FieldValueRequired" },
    ],
    [
      "unknown fields of a custom resource are ignored in this encoding",
      [["POST", `${trinkets}?fieldValidation=Strict`, trinket("a", { odd: 1 }, { odd: 1 }), "application/cbor"]],
      { "/status": 201, "/warning": null },
    ],
    [
      "errors show a custom resource's owner references with sorted keys",
      [
        [
          "POST",
          trinkets,
          trinket("a", {
            ownerReferences: [
              { apiVersion: "v1", controller: true, kind: "A", name: "o", uid: "u" },
              { apiVersion: "v1", kind: "B", name: "p", uid: "v", controller: true },
            ],
          }),
        ],
      ],
      {
        [causes("0/message")]:
          'Invalid value: [{"apiVersion":"v1","kind":"A","name":"o","uid":"u","controller":true},{"apiVersion":"v1","kind":"B","name":"p","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/o and B/p',
      },
    ],
    [
      "a patch that removes a custom resource's kind is rejected",
      [
        ["POST", trinkets, trinket("a")],
        ["PATCH", `${trinkets}/a`, [{ op: "replace", path: "", value: {} }], "application/json-patch+json"],
      ],
      { "/status": 422 },
    ],
    [
      "a patch that removes a custom resource's apiVersion is an internal error",
      [
        ["POST", trinkets, trinket("a")],
        ["PATCH", `${trinkets}/a`, { apiVersion: null }],
      ],
      {
        "/status": 500,
        "/body/message": "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
      },
    ],
    [
      "an undecodable Scale of a custom resource is rejected without details",
      [
        ["POST", gadgets, { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" } }],
        [
          "PUT",
          `${gadgets}/a/scale`,
          { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: "x" } },
        ],
      ],
      {
        "/status": 400,
        "/body/reason": "BadRequest",
        "/body/details": undefined,
      },
    ],
    [
      "a patch of a Scale requires missing replicas",
      [
        ["POST", gadgets, { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" } }],
        ["PATCH", `${gadgets}/a/scale`, { metadata: { labels: { a: "b" } } }],
      ],
      { "/status": 400, "/body/message": 'the spec replicas field ".spec.replicas" cannot be empty' },
    ],
    [
      "an invalid toleration is reported twice in a pod update",
      [
        ["POST", pods, pod],
        ["PATCH", `${pods}/p`, [{ op: "add", path: "/spec/tolerations/-", value: {} }], "application/json-patch+json"],
      ],
      { [causes("0/field")]: "spec.tolerations[2].operator", [causes("1/field")]: "spec.tolerations[2].operator" },
    ],
    [
      "an immutable template is validated in an update",
      [
        [
          "POST",
          "/apis/batch/v1/namespaces/default/jobs",
          named(
            "j",
            {},
            { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } },
          ),
        ],
        [
          "PATCH",
          "/apis/batch/v1/namespaces/default/jobs/j",
          { spec: { template: { spec: { containers: [{ name: "c", imagePullPolicy: "x" }] } } } },
          "application/strategic-merge-patch+json",
        ],
      ],
      {
        [causes("0/field")]: "spec.template.spec.containers[0].imagePullPolicy",
        [causes("1/field")]: "spec.template.spec.containers[0].imagePullPolicy",
        [causes("2/field")]: "spec.template",
      },
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
      "a custom resource of another version is rejected with a warning about unknown metadata",
      [["POST", trinkets, { ...trinket("a", { odd: 1 }), apiVersion: "v9" }]],
      { "/status": 400, "/warning": '299 - "unknown field \\"metadata.odd\\""' },
    ],
    [
      "a custom resource of another version is rejected for duplicate metadata under strict validation",
      [
        [
          "POST",
          `${trinkets}?fieldValidation=Strict`,
          '{"apiVersion":"v9","kind":"Trinket","metadata":{"name":"a","name":"a"}}',
        ],
      ],
      {
        "/body/message":
          'Trinket in version "v9" cannot be handled as a Trinket: strict decoding error: duplicate field "metadata.name"',
      },
    ],
    [
      "a patch that changes the uid of a Scale is rejected",
      [
        [
          "POST",
          "/apis/apps/v1/namespaces/default/deployments",
          named(
            "d",
            {},
            {
              spec: {
                selector: { matchLabels: { a: "b" } },
                template: { metadata: { labels: { a: "b" } }, spec: pod.spec },
              },
            },
          ),
        ],
        ["PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale", { metadata: { uid: "x" } }],
      ],
      { "/status": 409, "/body/details/kind": "deployments/scale" },
    ],
    [
      "a Binding requested as PartialObjectMetadata returns a Status",
      [
        ["POST", pods, pod],
        [
          "POST",
          `${pods}/p/binding`,
          { metadata: { name: "p" }, target: { name: "n" } },
          undefined,
          "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        ],
      ],
      { "/status": 201, "/body/kind": "Status" },
    ],
    [
      "an empty PartialObjectMetadataList has null items",
      [
        [
          "GET",
          `${maps}?labelSelector=none`,
          undefined,
          undefined,
          "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        ],
      ],
      { "/body/kind": "PartialObjectMetadataList", "/body/items": null },
    ],
    [
      "a deletion with orphanDependents=false that waits for finalizers answers 202",
      [
        ["POST", maps, named("a", { finalizers: ["x.example/a"] })],
        ["DELETE", `${maps}/a`, { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: false }],
      ],
      { "/status": 202 },
    ],
    [
      "a deletion keeps the order of unchanged finalizers",
      [
        ["POST", maps, named("a", { finalizers: ["orphan", "x.example/a"] })],
        ["DELETE", `${maps}/a?propagationPolicy=Orphan`],
      ],
      { "/body/metadata/finalizers": ["orphan", "x.example/a"] },
    ],
    [
      "a PUT reports invalid options before an unknown media type",
      [["PUT", `${maps}/a?dryRun=x`, named("a"), "text/plain"]],
      { "/status": 422 },
    ],
    [
      "a POST reports an unknown media type before invalid options",
      [["POST", `${maps}?dryRun=x`, named("a"), "text/plain"]],
      { "/status": 415 },
    ],
    [
      "a 406 of the routing has no deprecation warning",
      [["GET", `${core}/endpoints`, undefined, undefined, "text/html"]],
      { "/status": 406, "/warning": null },
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
      "an apiVersion of another group is rejected without a warning",
      [
        ["POST", trinkets, trinket("a")],
        ["PATCH", `${trinkets}/a`, { apiVersion: "other", odd: 1 }],
      ],
      { "/status": 422, "/warning": null },
    ],
    [
      "the export parameter is rejected for a Scale",
      [["GET", "/apis/apps/v1/namespaces/default/deployments/a/scale?export=true"]],
      { "/status": 400, "/body/message": "the export parameter, deprecated since v1.14, is no longer supported" },
    ],
    [
      "an invalid second podCIDR of a Node is rejected",
      [
        [
          "POST",
          "/api/v1/nodes",
          named("n", {}, { spec: { podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24", "10.1.0.0/24x"] } }),
        ],
      ],
      {
        [causes("0/field")]: "spec.podCIDRs[1]",
        [causes("1/reason")]: "InternalError",
        [causes("2/field")]: "spec.podCIDRs",
        [causes("3")]: undefined,
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
      "a Scale with another uid is reported before invalid replicas of a custom resource",
      [
        [
          "POST",
          gadgets,
          { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" }, spec: { replicas: 1 } },
        ],
        [
          "PUT",
          `${gadgets}/a/scale?dryRun=All`,
          { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a", uid: "x" }, spec: { replicas: -1 } },
        ],
      ],
      { "/status": 409, "/body/details/group": "random.cf.dev" },
    ],
    [
      "a patched uid in the Scale of a custom resource is ignored",
      [
        [
          "POST",
          gadgets,
          { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" }, spec: { replicas: 1 } },
        ],
        ["PATCH", `${gadgets}/a/scale`, { metadata: { uid: "x" } }],
      ],
      { "/status": 200 },
    ],
    [
      "a Scale with another uid is reported before invalid replicas",
      [
        [
          "POST",
          "/apis/apps/v1/namespaces/default/replicasets",
          named(
            "a",
            {},
            {
              spec: {
                selector: { matchLabels: { a: "b" } },
                template: { metadata: { labels: { a: "b" } }, spec: pod.spec },
              },
            },
          ),
        ],
        [
          "PUT",
          "/apis/apps/v1/namespaces/default/replicasets/a/scale",
          { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a", uid: "x" }, spec: { replicas: -1 } },
        ],
      ],
      { "/status": 409 },
    ],
    [
      "a GET of an Event rejects an invalid resourceVersion",
      [["GET", `${core}/events/a?resourceVersion=a%00b`]],
      { "/status": 400 },
    ],
    [
      "a deletion keeps a deletionTimestamp set at creation",
      [
        ["PUT", leases + "/a", named("a", { ...longAgo, finalizers: ["x.example/a"] })],
        ["DELETE", `${leases}/a`],
        ["GET", `${leases}/a`],
      ],
      { "/body/metadata/deletionGracePeriodSeconds": 0, "/body/metadata/deletionTimestamp": longAgo.deletionTimestamp },
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
      "an update that removes the last finalizer returns the object as sent",
      [
        ["POST", maps, named("a", { finalizers: ["x.example/a"] })],
        ["DELETE", `${maps}/a`],
        ["PUT", `${maps}/a`, named("a", { selfLink: "/x" })],
      ],
      { "/status": 200, "/body/metadata/selfLink": "/x" },
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
    [
      "a DaemonSet rejects a non-numeric template generation",
      [["POST", daemons, daemon({ [counted]: "x" })]],
      { "/status": 400 },
    ],
    [
      "a DaemonSet's template generation is normalized",
      [["POST", daemons, daemon({ [counted]: "+05" })]],
      { "/body/metadata/annotations": { [counted]: "5" } },
    ],
    [
      "a merge patch with a non-numeric template generation is rejected",
      [
        ["POST", daemons, daemon({})],
        ["PATCH", `${daemons}/a`, { metadata: { annotations: { [counted]: "x" } } }],
      ],
      { "/status": 422 },
    ],
    [
      "a strategic patch with a non-numeric template generation is an internal error",
      [
        ["POST", daemons, daemon({})],
        [
          "PATCH",
          `${daemons}/a`,
          { metadata: { annotations: { [counted]: "x" } } },
          "application/strategic-merge-patch+json",
        ],
      ],
      { "/status": 500 },
    ],
    [
      "an apply with a non-numeric template generation is an internal error",
      [
        [
          "PATCH",
          `${daemons}/a?fieldManager=m`,
          { apiVersion: "apps/v1", kind: "DaemonSet", ...daemon({ [counted]: "x" }) },
          applied,
        ],
      ],
      { "/status": 500 },
    ],
    [
      "PUT /resize of a pod doesn't support Tables",
      [["PUT", `${pods}/a/resize`, {}, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"]],
      { "/status": 406 },
    ],
    [
      "PATCH /ephemeralcontainers of a pod doesn't support Tables",
      [["PATCH", `${pods}/a/ephemeralcontainers`, {}, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"]],
      { "/status": 406 },
    ],
    [
      "GET /resize of a pod doesn't support Tables",
      [["GET", `${pods}/a/resize`, undefined, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"]],
      { "/status": 406 },
    ],
  ];

describe("request sequences", () => {
  beforeEach(async () => {
    for (const definition of definitions)
      await send(["POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition]);
    await server.settled();
    expect(await send(["GET", trinkets])).toMatchObject({ status: 200 });
  });

  it.each(table)("%s", async (_what, steps, expected) => {
    let answer: Json = {};
    for (const step of steps) answer = await send(step);
    expect(
      Object.fromEntries(Object.keys(expected).map((pointer) => [pointer, at(answer, pointer)])),
      JSON.stringify(answer),
    ).toEqual(expected);
  });

  it("an unknown token gets a JSON Status", async () => {
    const path = new Request(`http://server${maps}`, {
      headers: { authorization: "Bearer none", accept: "application/cbor" },
    });
    expect((await server.handle(path)).headers.get("content-type")).toBe("application/json");
  });

  it("a Scale is printed with the columns of custom resources", async () => {
    await send([
      "POST",
      gadgets,
      { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" }, spec: { replicas: 3 } },
    ]);
    const table = await server.handle(
      new Request(`http://server${gadgets}/a/scale`, {
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      }),
    );
    const { columnDefinitions, rows } = (await table.json()) as {
      columnDefinitions: { name: string; format: string }[];
      rows: { cells: unknown[] }[];
    };
    expect([columnDefinitions.map(({ name, format }) => [name, format]), rows[0]!.cells.slice(0, 2)]).toEqual([
      [
        ["Name", "name"],
        ["Desired", ""],
        ["Available", ""],
        ["Age", ""],
      ],
      ["a", 3],
    ]);
  });

  it("a deletion returns the revision of the deletion", async () => {
    const version = (answer: Json): number => Number(at(answer, "/body/metadata/resourceVersion"));
    const made = version(await send(["POST", `${core}/serviceaccounts`, named("v")]));
    expect(version(await send(["DELETE", `${core}/serviceaccounts/v`]))).toBe(made + 1);
    const begun = version(await send(["POST", pods, pod]));
    expect(version(await send(["DELETE", `${pods}/p`]))).toBe(begun + 2);
  });
});
