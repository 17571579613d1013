// Errors of kube-apiserver 1.36 for single fields and for missing or terminating targets.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { causeSet } from "../../support/outcome.js";
import { sendJson } from "../../support/send-json.js";

type Json = Record<string, unknown>;
type Step = readonly [method: string, path: string, body?: unknown];

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

async function send([method, path, body]: Step): Promise<Json & { message?: string }> {
  return (await sendJson(server, { method, path, body })).body;
}

const core = "/api/v1/namespaces/default";
const pod = (spec: Json = {}): Json => ({
  metadata: { name: "p" },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const named = (name: string, rest: Json = {}): Json => ({ metadata: { name }, ...rest });
const env = (resource: string, divisor: string): Json =>
  pod({
    containers: [
      { name: "c", image: "i", env: [{ name: "A", valueFrom: { resourceFieldRef: { resource, divisor } } }] },
    ],
  });
const hard = 'a<\u0001"é';
const versions = "/apis/internal.apiserver.k8s.io/v1alpha1/storageversions";
const requests = "/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests";
const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const attachments = "/apis/storage.k8s.io/v1/volumeattachments";
const policy = named("v", {
  spec: {
    validations: [{ expression: "true" }],
    matchConstraints: {
      resourceRules: [{ operations: ["CREATE"], apiGroups: ["x"], apiVersions: ["v1"], resources: ["y"] }],
    },
  },
});
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const crd = (schema: Json): Json =>
  named("as.b.example", {
    spec: {
      group: "b.example",
      scope: "Cluster",
      names: { plural: "as", kind: "A" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
const bindings = (version: string): string =>
  `/apis/admissionregistration.k8s.io/${version}/mutatingadmissionpolicybindings`;
const server1 = { apiServerID: "a", encodingVersion: "v1", decodableVersions: ["v1"], servedVersions: ["v1"] };
const pool = { driver: "d.example", poolName: "p", generation: 1 };
const going: readonly Step[] = [
  ["POST", "/api/v1/namespaces", named("n")],
  ["POST", "/api/v1/namespaces/n/configmaps", { metadata: { name: "c", finalizers: ["x.example/y"] } }],
  ["DELETE", "/api/v1/namespaces/n"],
];

/** Expected status or causes of the last request in a sequence. */
const table: readonly (readonly [what: string, steps: readonly Step[], told: number | readonly string[]])[] = [
  [
    "a StorageVersion with an invalid name",
    [["POST", versions, named("a", { spec: {} })]],
    ["metadata.name: Invalid value"],
  ],
  [
    "a StorageVersion with invalid parts of the name",
    [["POST", versions, named("A.1b", { spec: {} })]],
    ["metadata.name: Invalid value"],
  ],
  [
    "a LeaseCandidate with an invalid name",
    [
      [
        "POST",
        "/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates",
        named("A b", {
          spec: {
            leaseName: "l",
            binaryVersion: "1.2.3",
            emulationVersion: "1.2.0",
            strategy: "OldestEmulationVersion",
          },
        }),
      ],
    ],
    ["metadata.name: Invalid value"],
  ],
  [
    "a StorageVersion with inconsistent versions in its status",
    [
      ["POST", versions, named("a.b", { spec: {} })],
      [
        "PATCH",
        `${versions}/a.b/status`,
        { status: { storageVersions: [{ ...server1, servedVersions: ["v2"] }], commonEncodingVersion: "v3" } },
      ],
    ],
    ["status.commonEncodingVersion: Invalid value", "status.storageVersions[0].servedVersions[0]: Invalid value"],
  ],
  [
    "a ResourcePoolStatusRequest with an invalid status",
    [
      ["POST", requests, named("r", { spec: { driver: "d.example" } })],
      ["PATCH", `${requests}/r/status`, { status: { pools: [{ ...pool, generation: 0 }] } }],
    ],
    ["status.poolCount: Required value", "status.pools[0].generation: Required value"],
  ],
  [
    "a ResourcePoolStatusRequest whose status changes",
    [
      ["POST", requests, named("r", { spec: { driver: "d.example" } })],
      ["PATCH", `${requests}/r/status`, { status: { poolCount: 1, pools: [pool] } }],
      ["PATCH", `${requests}/r/status`, { status: { poolCount: 2, pools: null } }],
    ],
    ["status: Invalid value"],
  ],
  [
    "a ValidatingAdmissionPolicy with empty type checking warnings",
    [
      ["POST", policies, policy],
      [
        "PATCH",
        `${policies}/v/status`,
        { status: { typeChecking: { expressionWarnings: [{ fieldRef: " ", warning: "" }] } } },
      ],
    ],
    [
      "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
      "status.typeChecking.expressionWarnings[0].warning: Required value",
    ],
  ],
  [
    "a VolumeAttachment with a negative error code",
    [
      [
        "POST",
        attachments,
        named("a", { spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "v" } } }),
      ],
      ["PATCH", `${attachments}/a/status`, { status: { attached: false, attachError: { errorCode: -1 } } }],
    ],
    ["status.attachError.errorCode: Invalid value"],
  ],
  [
    "a resourceFieldRef with an invalid divisor",
    [["POST", `${core}/pods`, env("limits.cpu", "2")]],
    ["spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value"],
  ],
  [
    "a resourceFieldRef with an unknown resource",
    [["POST", `${core}/pods`, env("limits.cpux", "2")]],
    ["spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value"],
  ],
  [
    "a StatefulSet with an unknown pod management policy",
    [
      [
        "POST",
        "/apis/apps/v1/namespaces/default/statefulsets",
        named("s", {
          spec: {
            podManagementPolicy: hard,
            serviceName: "s",
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
          },
        }),
      ],
    ],
    ["spec.podManagementPolicy: Invalid value"],
  ],
  [
    "a pod with invalid annotations",
    [
      [
        "POST",
        `${core}/pods`,
        {
          ...pod(),
          metadata: {
            name: "p",
            annotations: {
              "kubernetes.io/config.mirror": "m",
              "controller.kubernetes.io/pod-deletion-cost": "+1",
              "seccomp.security.alpha.kubernetes.io/pod": "x",
            },
          },
        },
      ],
    ],
    [
      "metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value",
      "metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value",
      "metadata.annotations[kubernetes.io/config.mirror]: Invalid value",
    ],
  ],
  [
    "a pod with an invalid annotation for a container",
    [
      [
        "POST",
        `${core}/pods`,
        { ...pod(), metadata: { name: "p", annotations: { "container.apparmor.security.beta.kubernetes.io/d": "x" } } },
      ],
    ],
    ["metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value"],
  ],
  [
    "a body of an unknown group",
    [["POST", `${core}/configmaps`, { apiVersion: "none/v1", kind: "DeleteOptions", metadata: { name: "a" } }]],
    400,
  ],
  [
    "a List sent to /eviction",
    [["POST", `${core}/pods/p/eviction`, { apiVersion: "v1", kind: "List", metadata: { name: "p" } }]],
    400,
  ],
  [
    "an Eviction with another namespace",
    [
      ["POST", `${core}/pods`, pod()],
      ["POST", `${core}/pods/p/eviction`, { metadata: { name: "p", namespace: "other" } }],
    ],
    400,
  ],
  [
    "an Eviction that asks for an unsafe deletion",
    [
      ["POST", `${core}/pods`, pod()],
      [
        "POST",
        `${core}/pods/p/eviction`,
        { metadata: { name: "p" }, deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } },
      ],
    ],
    422,
  ],
  [
    "a pod with generateName and an unknown priority class",
    [["POST", `${core}/pods`, { ...pod({ priorityClassName: "none" }), metadata: { generateName: "p-" } }]],
    403,
  ],
  [
    "a pod without a name and with an unknown RuntimeClass",
    [["POST", `${core}/pods`, { ...pod({ runtimeClassName: "none" }), metadata: {} }]],
    403,
  ],
  [
    "an Eviction in a terminating namespace",
    [...going, ["POST", "/api/v1/namespaces/n/pods/p/eviction", { metadata: { name: "p" } }]],
    403,
  ],
  [
    "a Binding in a terminating namespace",
    [...going, ["POST", "/api/v1/namespaces/n/bindings", { target: { name: "x" } }]],
    403,
  ],
  [
    "a TokenRequest in a terminating namespace",
    [...going, ["POST", "/api/v1/namespaces/n/serviceaccounts/s/token", {}]],
    403,
  ],
  [
    "a schema with a null dependency",
    [["POST", definitions, crd({ type: "object", dependencies: { key: null } })]],
    ["spec.validation.openAPIV3Schema.dependencies: Forbidden"],
  ],
  [
    "a schema with a null item schema",
    [["POST", definitions, crd({ type: "object", properties: { x: { type: "array", items: [null] } } })]],
    ["spec.validation.openAPIV3Schema.properties[x].items: Forbidden"],
  ],
  [
    "a v1alpha1 policy binding defaults parameterNotFoundAction",
    [["POST", bindings("v1alpha1"), named("x", { spec: { paramRef: { name: "x" } } })]],
    ["spec.policyName: Required value"],
  ],
  [
    "a v1beta1 policy binding requires parameterNotFoundAction",
    [["POST", bindings("v1beta1"), named("x", { spec: { paramRef: { name: "x" } } })]],
    ["spec.paramRef.parameterNotFoundAction: Required value", "spec.policyName: Required value"],
  ],
  [
    "a Windows user name with a control character",
    [["POST", `${core}/pods`, pod({ securityContext: { windowsOptions: { runAsUserName: "a\u0001" } } })]],
    ["spec.securityContext.windowsOptions.runAsUserName: Invalid value"],
  ],
  ["a proxy request to a missing pod", [["OPTIONS", `${core}/pods/p/proxy`]], 404],
];

describe("recorded errors of kube-apiserver", () => {
  it.each(table.map(([what, ...row]) => [what, row] as const))("%s", async (_, [steps, told]) => {
    for (const step of steps.slice(0, -1)) expect(await send(step)).not.toHaveProperty("message");
    const { code, message, details } = await send(steps.at(-1)!);
    expect(message).not.toBe("");
    const { causes = [] } = (details ?? {}) as { causes?: { field: string; message: string }[] };
    if (typeof told === "number") expect(code).toBe(told);
    else expect([code, causeSet(causes.map((cause) => `${cause.field}: ${cause.message}`))]).toEqual([422, told]);
  });
});
