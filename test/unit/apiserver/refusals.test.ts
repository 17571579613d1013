// What a real kube-apiserver 1.36 says of single fields and of places that are gone, row by row.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";

type Json = Record<string, unknown>;
type Step = readonly [method: string, path: string, body?: unknown];

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

async function send([method, path, body]: Step): Promise<Json & { message?: string }> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } }),
    }),
  );
  return response.json() as Promise<Json>;
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

/** What the last of some requests is told. */
const table: readonly (readonly [what: string, steps: readonly Step[], message: string])[] = [
  [
    "the name of a StorageVersion",
    [["POST", versions, named("a", { spec: {} })]],
    'StorageVersion.internal.apiserver.k8s.io "a" is invalid: metadata.name: Invalid value: "a": name must be in the form of <group>.<resource>',
  ],
  [
    "its parts",
    [["POST", versions, named("A.1b", { spec: {} })]],
    `StorageVersion.internal.apiserver.k8s.io "A.1b" is invalid: [metadata.name: Invalid value: "A.1b": the group segment a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), metadata.name: Invalid value: "A.1b": the resource segment a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')]`,
  ],
  [
    "the name of a LeaseCandidate",
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
    `LeaseCandidate.coordination.k8s.io "A b" is invalid: metadata.name: Invalid value: "A b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
  ],
  [
    "the status of a StorageVersion",
    [
      ["POST", versions, named("a.b", { spec: {} })],
      [
        "PATCH",
        `${versions}/a.b/status`,
        { status: { storageVersions: [{ ...server1, servedVersions: ["v2"] }], commonEncodingVersion: "v3" } },
      ],
    ],
    'StorageVersion.internal.apiserver.k8s.io "a.b" is invalid: [status.storageVersions[0].servedVersions[0]: Invalid value: "v2": individual served version : v2 must be included in decodableVersions : [v1], status.commonEncodingVersion: Invalid value: "v3": the actual common encoding version is v1]',
  ],
  [
    "an answer about pools",
    [
      ["POST", requests, named("r", { spec: { driver: "d.example" } })],
      ["PATCH", `${requests}/r/status`, { status: { pools: [{ ...pool, generation: 0 }] } }],
    ],
    'ResourcePoolStatusRequest.resource.k8s.io "r" is invalid: [status.poolCount: Required value, status.pools[0].generation: Required value]',
  ],
  [
    "which is given once",
    [
      ["POST", requests, named("r", { spec: { driver: "d.example" } })],
      ["PATCH", `${requests}/r/status`, { status: { poolCount: 1, pools: [pool] } }],
      ["PATCH", `${requests}/r/status`, { status: { poolCount: 2, pools: null } }],
    ],
    'ResourcePoolStatusRequest.resource.k8s.io "r" is invalid: status: Invalid value: {"PoolCount":2,"Pools":null,"Conditions":null}: field is immutable',
  ],
  [
    "what was found about a policy",
    [
      ["POST", policies, policy],
      [
        "PATCH",
        `${policies}/v/status`,
        { status: { typeChecking: { expressionWarnings: [{ fieldRef: " ", warning: "" }] } } },
      ],
    ],
    'ValidatingAdmissionPolicy.admissionregistration.k8s.io "v" is invalid: [status.typeChecking.expressionWarnings[0].warning: Required value, status.typeChecking.expressionWarnings[0].fieldRef: Required value]',
  ],
  [
    "the status of an attachment",
    [
      [
        "POST",
        attachments,
        named("a", { spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "v" } } }),
      ],
      ["PATCH", `${attachments}/a/status`, { status: { attached: false, attachError: { errorCode: -1 } } }],
    ],
    'VolumeAttachment.storage.k8s.io "a" is invalid: status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive',
  ],
  [
    "a divisor of a known resource",
    [["POST", `${core}/pods`, env("limits.cpu", "2")]],
    `Pod "p" is invalid: spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
  ],
  [
    "a divisor of a resource that only begins like one",
    [["POST", `${core}/pods`, env("limits.cpux", "2")]],
    'Pod "p" is invalid: spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.cpux": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
  ],
  [
    "a text of a type of its own is shown as JSON",
    [["POST", `${core}/pods`, pod({ restartPolicy: hard })]],
    'Pod "p" is invalid: spec.restartPolicy: Unsupported value: "a\\u003c\\u0001\\"é": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    "also where it is wrong",
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
    `StatefulSet.apps "s" is invalid: spec.podManagementPolicy: Invalid value: "a\\u003c\\u0001\\"é": must be 'OrderedReady' or 'Parallel'`,
  ],
  [
    "a text is quoted",
    [
      [
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
        named("b", { roleRef: { kind: hard, name: "r", apiGroup: "rbac.authorization.k8s.io" } }),
      ],
    ],
    'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef.kind: Unsupported value: "a<\\x01\\"é": supported values: "Role", "ClusterRole"',
  ],
  [
    "a time is quoted byte by byte",
    [["POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", named("l", { spec: { renewTime: hard } })]],
    'Lease in version "v1" cannot be handled as a Lease: parsing time "a<\\x01\\"\\xc3\\xa9" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "a<\\x01\\"\\xc3\\xa9" as "2006"',
  ],
  [
    "the annotations of a pod",
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
    'Pod "p" is invalid: [metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "m": must set spec.nodeName if mirror pod annotation is set, metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer, metadata.annotations.seccomp.security.alpha.kubernetes.io/pod: Invalid value: "x": must be a valid seccomp profile]',
  ],
  [
    "those of its containers",
    [
      [
        "POST",
        `${core}/pods`,
        { ...pod(), metadata: { name: "p", annotations: { "container.apparmor.security.beta.kubernetes.io/d": "x" } } },
      ],
    ],
    'Pod "p" is invalid: [metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "d": container not found, metadata.annotations[container.apparmor.security.beta.kubernetes.io/d]: Invalid value: "x": invalid AppArmor profile name: "x"]',
  ],
  [
    "a kind without versions is known in any",
    [["POST", `${core}/configmaps`, { apiVersion: "v9", kind: "Status", metadata: { name: "a" } }]],
    'Status in version "v9" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion',
  ],
  [
    "kinds of the machinery are known in every group",
    [["POST", `${core}/configmaps`, { apiVersion: "apps/v1beta1", kind: "DeleteOptions", metadata: { name: "a" } }]],
    'DeleteOptions in version "v1beta1" cannot be handled as a ConfigMap: converting (v1.DeleteOptions) to (core.ConfigMap): unknown conversion',
  ],
  [
    "but not in groups that there are not",
    [["POST", `${core}/configmaps`, { apiVersion: "none/v1", kind: "DeleteOptions", metadata: { name: "a" } }]],
    'DeleteOptions in version "v1" cannot be handled as a ConfigMap: no kind "DeleteOptions" is registered for version "none/v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    "a group's own version",
    [["POST", `${core}/configmaps`, { apiVersion: "apps/__internal", kind: "ConfigMap", metadata: { name: "a" } }]],
    'ConfigMap in version "__internal" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for the internal version of group "apps" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    "a List where an Eviction is due",
    [["POST", `${core}/pods/p/eviction`, { apiVersion: "v1", kind: "List", metadata: { name: "p" } }]],
    'List in version "v1" cannot be handled as a Eviction: converting (v1.List) to (policy.Eviction): unknown conversion',
  ],
  [
    "an eviction of another namespace",
    [
      ["POST", `${core}/pods`, pod()],
      ["POST", `${core}/pods/p/eviction`, { metadata: { name: "p", namespace: "other" } }],
    ],
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
  [
    "a pod whose name is still to be made",
    [["POST", `${core}/pods`, { ...pod({ priorityClassName: "none" }), metadata: { generateName: "p-" } }]],
    'pods "p-" is forbidden: no PriorityClass with name none was found',
  ],
  [
    "a pod without any name",
    [["POST", `${core}/pods`, { ...pod({ runtimeClassName: "none" }), metadata: {} }]],
    'pods "Unknown" is forbidden: pod rejected: RuntimeClass "none" not found',
  ],
  [
    "an eviction in a namespace that goes",
    [...going, ["POST", "/api/v1/namespaces/n/pods/p/eviction", { metadata: { name: "p" } }]],
    'pods "p" is forbidden: unable to create new content in namespace n because it is being terminated',
  ],
  [
    "a binding in it",
    [...going, ["POST", "/api/v1/namespaces/n/bindings", { target: { name: "x" } }]],
    'bindings "Unknown" is forbidden: unable to create new content in namespace n because it is being terminated',
  ],
  [
    "a token in it",
    [...going, ["POST", "/api/v1/namespaces/n/serviceaccounts/s/token", {}]],
    'serviceaccounts "s" is forbidden: unable to create new content in namespace n because it is being terminated',
  ],
  [
    "a schema with a dependency that is none",
    [["POST", definitions, crd({ type: "object", dependencies: { key: null } })]],
    'CustomResourceDefinition.apiextensions.k8s.io "as.b.example" is invalid: spec.validation.openAPIV3Schema.dependencies: Forbidden: dependencies is not supported',
  ],
  [
    "a list of schemas with none in it",
    [["POST", definitions, crd({ type: "object", properties: { x: { type: "array", items: [null] } } })]],
    'CustomResourceDefinition.apiextensions.k8s.io "as.b.example" is invalid: spec.validation.openAPIV3Schema.properties[x].items: Forbidden: items must be a schema object and not an array',
  ],
  [
    "what to do without parameters is filled in in the oldest version",
    [["POST", bindings("v1alpha1"), named("x", { spec: { paramRef: { name: "x" } } })]],
    'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io "x" is invalid: spec.policyName: Required value',
  ],
  [
    "and not in later ones",
    [["POST", bindings("v1beta1"), named("x", { spec: { paramRef: { name: "x" } } })]],
    'MutatingAdmissionPolicyBinding.admissionregistration.k8s.io "x" is invalid: [spec.policyName: Required value, spec.paramRef.parameterNotFoundAction: Required value]',
  ],
  [
    "a user on Windows is shown as JSON",
    [["POST", `${core}/pods`, pod({ securityContext: { windowsOptions: { runAsUserName: "a\u0001" } } })]],
    'Pod "p" is invalid: spec.securityContext.windowsOptions.runAsUserName: Invalid value: "a\\u0001": runAsUserName cannot contain control characters',
  ],
  ["a way through to a pod that is not there", [["OPTIONS", `${core}/pods/p/proxy`]], 'pods "p" not found'],
];

const cause =
  /(?<=[ [])[a-zA-Z][\w.[\]/-]*: (?:Required value|Invalid value|Unsupported value|Forbidden|Duplicate value|Not found|Too long|Too many)/g;

/** Returns a message without the details of its causes: what is invalid, and each field with the reason. */
function outcome(message = ""): readonly string[] {
  const [head = "", ...rest] = message.split(" is invalid:");
  return rest.length === 0 ? [message] : [head, ...[...rest.join("").matchAll(cause)].map(([text]) => text).sort()];
}

describe("refusals in a real server's words", () => {
  it.each(table.map(([what, ...row]) => [what, row] as const))("%s", async (_, [steps, message]) => {
    for (const step of steps.slice(0, -1)) expect(await send(step)).not.toHaveProperty("message");
    expect(outcome((await send(steps.at(-1)!)).message)).toEqual(outcome(message));
  });
});
