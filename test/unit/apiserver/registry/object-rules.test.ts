// Rules of kube-apiserver 1.36 for single kinds: errors as field and reason, or values of the stored object by their path.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createCertificateRequest } from "../../../support/certificate-request.js";
import { causeSet } from "../../../support/outcome.js";
import { sendJson } from "../../../support/send-json.js";

type Json = Record<string, unknown>;
type Step = readonly [path: string, body: Json];

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

const core = "/api/v1/namespaces/default";
const pods = `${core}/pods`;
const container = { name: "c", image: "i" };
const pod = (spec: Json = {}, annotations: Record<string, string> = {}): Json => ({
  metadata: { name: "x", annotations },
  spec: { containers: [container], ...spec },
});
const using = (resources: Json, more: Json = {}): Json => ({ containers: [{ ...container, resources, ...more }] });
const cpu = (amount: string): Json => ({ requests: { cpu: amount } });
const policy = { resourceName: "cpu", restartPolicy: "RestartContainer" };
const seccomp = "seccomp.security.alpha.kubernetes.io/pod";
const appArmor = "container.apparmor.security.beta.kubernetes.io/c";
const mirror = "kubernetes.io/config.mirror";
const state = (more: Json): Json => ({
  status: { containerStatuses: [{ name: "c", image: "i", imageID: "d", ready: false, restartCount: 0, ...more }] },
});
const service = (spec: Json): Json => ({ metadata: { name: "x" }, spec: { ports: [{ port: 80 }], ...spec } });
const secret = (text: string): Json => ({
  metadata: { name: "x" },
  type: "kubernetes.io/dockerconfigjson",
  stringData: { ".dockerconfigjson": text },
});
const node = (more: Json): Json => ({ metadata: { name: "x" }, ...more });
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const pem = (content: string, label = "CERTIFICATE"): string =>
  btoa(`-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`);
const certificateRequest = (more: Json = {}): Json => ({
  metadata: { name: "x" },
  spec: {
    request: btoa(createCertificateRequest("user").request),
    signerName: "example.com/s",
    usages: ["any"],
    ...more,
  },
});
const invalidRequest = (content: string): (typeof table)[number] => [
  `a certificate request with the content ${JSON.stringify(content)} is invalid`,
  [[requests, certificateRequest({ request: pem(content, "CERTIFICATE REQUEST") })]],
  ["spec.request: Invalid value"],
];
const invalidCertificate = (content: string): (typeof table)[number] => [
  `a certificate with the content ${JSON.stringify(content)} is invalid`,
  [
    [requests, certificateRequest()],
    [`${requests}/x/status`, { status: { certificate: pem(content) } }],
  ],
  ["status.certificate: Invalid value"],
];
const approved = (message: string): Json => ({
  status: { conditions: [{ type: "Approved", status: "True", message }] },
});
const slices = "/apis/resource.k8s.io/v1/resourceslices";
const slice = (spec: Json): Json => ({
  metadata: { name: "x" },
  spec: { driver: "d.test", allNodes: true, pool: { name: "p", generation: 1, resourceSliceCount: 1 }, ...spec },
});
const device = (more: Json): Json => slice({ devices: [{ name: "a", ...more }] });
const rules = "/apis/resource.k8s.io/v1beta2/devicetaintrules";
const set = "/apis/apps/v1/namespaces/default/daemonsets";

/** The first step creates an object, others create a pod, or change an object or a subresource. */
const table: readonly (readonly [title: string, steps: readonly Step[], outcome: readonly string[] | Json])[] = [
  [
    "a seccomp annotation of a pod must name the type of its profile",
    [[pods, pod({ securityContext: { seccompProfile: { type: "RuntimeDefault" } } }, { [seccomp]: "unconfined" })]],
    ["spec.securityContext.seccompProfile.type: Forbidden"],
  ],
  [
    "a seccomp annotation of a container must name its local profile",
    [
      [
        pods,
        pod(using({}, { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "a" } } }), {
          "container.seccomp.security.alpha.kubernetes.io/c": "localhost/b",
        }),
      ],
    ],
    ["spec.containers[0].securityContext.seccompProfile.localhostProfile: Forbidden"],
  ],
  [
    "a pod may get no annotation for AppArmor later",
    [
      [pods, pod()],
      [`${pods}/x`, { metadata: { annotations: { [appArmor]: "unconfined" } } }],
    ],
    [`metadata.annotations[${appArmor}]: Forbidden`],
  ],
  [
    "a mirror pod stays one, also in a write to its status",
    [
      [pods, pod({ nodeName: "n" }, { [mirror]: "a" })],
      [`${pods}/x/status`, { metadata: { annotations: { [mirror]: null } } }],
    ],
    [`metadata.annotations[${mirror}]: Forbidden`],
  ],
  [
    "an init container that ends can't restart by a resize",
    [[pods, pod({ initContainers: [{ name: "i", image: "i", resizePolicy: [policy] }] })]],
    ["spec.initContainers[0].resizePolicy[0].restartPolicy: Invalid value"],
  ],
  [
    "a new image has no surrounding whitespace",
    [
      [pods, pod()],
      [`${pods}/x`, { spec: { containers: [{ name: "c", image: " " }] } }],
    ],
    ["spec.containers[0].image: Invalid value", "spec: Forbidden"],
  ],
  [
    "a container of a Windows pod has no Linux user",
    [
      [pods, pod({ os: { name: "windows" } })],
      [`${pods}/x/status`, state({ user: { linux: { uid: 1, gid: 1 } } })],
    ],
    ["status.containerStatuses[0].user.linux: Forbidden"],
  ],
  [
    "the digest of an image volume is dropped",
    [
      [pods, pod()],
      [
        `${pods}/x/status`,
        state({ volumeMounts: [{ name: "v", mountPath: "/v", volumeStatus: { image: { imageRef: "r" } } }] }),
      ],
    ],
    { "status.containerStatuses.0.volumeMounts": [{ name: "v", mountPath: "/v" }] },
  ],
  [
    "a resize changes the resources of the whole pod",
    [
      [pods, pod({ resources: cpu("1") })],
      [`${pods}/x/resize`, { spec: { resources: cpu("2") } }],
    ],
    { "metadata.generation": 2, "spec.resources": cpu("2") },
  ],
  [
    "a resize can't remove the resources of the whole pod",
    [
      [pods, pod({ resources: cpu("1") })],
      [`${pods}/x/resize`, { spec: { resources: null } }],
    ],
    ["spec.resources: Forbidden", "spec: Invalid value"],
  ],
  [
    "a resize changes only CPU and memory of the whole pod",
    [
      [pods, pod({ resources: cpu("1") })],
      [`${pods}/x/resize`, { spec: { resources: { requests: { "hugepages-2Mi": "2Mi" } } } }],
    ],
    ["spec.resources.limits: Required value", "spec: Forbidden"],
  ],
  [
    "a resize can't add a container",
    [
      [pods, pod()],
      [`${pods}/x/resize`, { spec: { containers: [container, { name: "d", image: "i" }] } }],
    ],
    ["spec.containers: Forbidden"],
  ],
  [
    "a resize can't rename a container",
    [
      [pods, pod()],
      [`${pods}/x/resize`, { spec: { containers: [{ name: "d", image: "i" }] } }],
    ],
    ["spec.containers[0].name: Forbidden"],
  ],
  [
    "a resize can't change the policy of a container",
    [
      [pods, pod(using(cpu("1")))],
      [`${pods}/x/resize`, { spec: using(cpu("2"), { resizePolicy: [policy] }) }],
    ],
    ["spec: Forbidden"],
  ],
  [
    "a container with claims can't be resized",
    [
      [
        pods,
        pod({
          resourceClaims: [{ name: "d", resourceClaimName: "d" }],
          ...using({ ...cpu("1"), claims: [{ name: "d" }] }),
        }),
      ],
      [`${pods}/x/resize`, { spec: using({ ...cpu("2"), claims: [{ name: "d" }] }) }],
    ],
    ["spec: Forbidden"],
  ],
  [
    "a mirror pod can't be resized",
    [
      [pods, pod({ nodeName: "n" }, { [mirror]: "a" })],
      [`${pods}/x/resize`, { spec: using(cpu("2")) }],
    ],
    ["[]: Forbidden"],
  ],
  [
    "a Node loses its configuration source",
    [["/api/v1/nodes", node({ spec: { configSource: {} } })]],
    { "spec.configSource": undefined },
  ],
  [
    "the swap of a Node is positive",
    [["/api/v1/nodes", node({ status: { nodeInfo: { swap: { capacity: 0 } } } })]],
    ["metadata.nodeSwapStatus.capacity: Invalid value"],
  ],
  [
    "registry credentials in a Secret are an object",
    [[`${core}/secrets`, secret("[]")]],
    ["data[.dockerconfigjson]: Invalid value"],
  ],
  [
    "registry credentials in a Secret may be null",
    [[`${core}/secrets`, secret("null")]],
    { type: "kubernetes.io/dockerconfigjson" },
  ],
  [
    "a Namespace without finalizers gets none by an update",
    [
      ["/api/v1/namespaces", { metadata: { name: "x" } }],
      ["/api/v1/namespaces/x/finalize", { metadata: { name: "x" }, spec: { finalizers: [] } }],
      ["/api/v1/namespaces/x", { spec: { finalizers: ["a/b"] } }],
    ],
    { "spec.finalizers": undefined },
  ],
  [
    "a Service that is no load balancer any more loses its ingress",
    [
      [`${core}/services`, service({ type: "LoadBalancer" })],
      [`${core}/services/x/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }],
      [`${core}/services/x`, { spec: { type: "ClusterIP" } }],
    ],
    { "status.loadBalancer": {} },
  ],
  [
    "a pod with scheduling gates can't be bound to a node",
    [
      [pods, pod({ schedulingGates: [{ name: "a" }] })],
      [`${pods}/x/binding`, { metadata: { name: "x" }, target: { name: "n" } }],
    ],
    { code: 409, reason: "Conflict" },
  ],
  [
    "the deprecated annotation for mount options fits only some volumes",
    [
      [
        "/api/v1/persistentvolumes",
        {
          metadata: { name: "x", annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } },
          spec: { capacity: { storage: "1" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
        },
      ],
    ],
    ["metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden"],
  ],
  [
    "a binding refers to a role by a name that fits into a path",
    [
      [
        "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
        { metadata: { name: "x" }, roleRef: { kind: "Role", name: "a/b" } },
      ],
    ],
    ["roleRef.name: Invalid value"],
  ],
  [
    "a CSIDriver loses the field of a disabled feature",
    [
      [
        "/apis/storage.k8s.io/v1/csidrivers",
        { metadata: { name: "x" }, spec: { preventPodSchedulingIfMissing: true, attachRequired: false } },
      ],
    ],
    { "spec.attachRequired": false, "spec.preventPodSchedulingIfMissing": undefined },
  ],
  [
    "a system PriorityClass has its known value",
    [["/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "system-node-critical" }, value: 5 }]],
    ["metadata.name: Forbidden"],
  ],
  [
    "a DaemonSet with the strategy OnDelete has no default for unavailable pods",
    [
      [
        set,
        {
          metadata: { name: "x" },
          spec: {
            selector: { matchLabels: { a: "b" } },
            template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
            updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: 1 } },
          },
        },
      ],
    ],
    { "spec.updateStrategy.rollingUpdate": { maxSurge: 1, maxUnavailable: 0 } },
  ],
  ...["", "MA==", "MIIB", "MIA=", "!"].map(invalidRequest),
  ...["", "YWJj", "MIIB", "fake", "!"].map(invalidCertificate),
  [
    "the path of a signer's name may have more than 317 characters",
    [[requests, certificateRequest({ signerName: `a.b/${Array(8).fill("a".repeat(50)).join(".")}` })]],
    { kind: "CertificateSigningRequest" },
  ],
  [
    "a status keeps the decision on a certificate request",
    [
      [requests, certificateRequest()],
      [`${requests}/x/approval`, approved("first")],
      [`${requests}/x/status`, approved("second")],
    ],
    { "status.conditions.0.message": "first" },
  ],
  [
    "a request of zero keeps a pod burstable",
    [[pods, pod(using({ requests: { cpu: "0" }, limits: { cpu: "1", memory: "1Gi" } }))]],
    { "status.qosClass": "Burstable" },
  ],
  [
    "requests of a whole pod include the defaults of a LimitRange",
    [
      [
        `${core}/limitranges`,
        { metadata: { name: "x" }, spec: { limits: [{ type: "Container", defaultRequest: { memory: "1Gi" } }] } },
      ],
      [pods, pod({ resources: { limits: { cpu: "1" } } })],
    ],
    { "spec.resources.requests": { cpu: "1", memory: "1Gi" } },
  ],
  [
    "a pod has no overhead without a RuntimeClass, not even an empty one",
    [[pods, pod({ overhead: {} })]],
    { code: 403, reason: "Forbidden" },
  ],
  [
    "a pod loses the annotations that once held init containers",
    [[pods, pod({}, { "pod.beta.kubernetes.io/init-containers": "[]", kept: "yes" })]],
    { "metadata.annotations": { kept: "yes" } },
  ],
  [
    "a pod template loses the annotations that once held init containers",
    [
      [
        `${core}/podtemplates`,
        {
          metadata: { name: "x" },
          template: {
            metadata: { annotations: { "pod.alpha.kubernetes.io/init-container-statuses": "[]" } },
            spec: { containers: [container] },
          },
        },
      ],
    ],
    { "template.metadata.annotations": undefined },
  ],
  [
    "the metadata of a Scale is validated",
    [
      [
        `${core}/replicationcontrollers`,
        {
          metadata: { name: "x" },
          spec: { template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } } },
        },
      ],
      [
        `${core}/replicationcontrollers/x/scale`,
        { metadata: { generation: -1, labels: { "a b": "c" }, finalizers: ["d"] }, spec: { replicas: -1 } },
      ],
    ],
    [
      "metadata.finalizers[0]: Invalid value",
      "metadata.generation: Invalid value",
      "metadata.labels: Invalid value",
      "spec.replicas: Invalid value",
    ],
  ],
  [
    "empty resources of a pod replace those of its containers",
    [[pods, pod({ ...using(cpu("1")), resources: {} })]],
    { "status.qosClass": "BestEffort" },
  ],
  [
    "a pod on a missing node can't be resized",
    [
      [pods, pod({ ...using(cpu("1")), nodeName: "n" })],
      [`${pods}/x/resize`, { spec: using(cpu("2")) }],
    ],
    { code: 403, message: 'pods "x" is forbidden: node "n" not found' },
  ],
  [
    "a pod can't be resized beyond the allocatable resources of its node",
    [
      ["/api/v1/nodes", node({ status: { allocatable: { cpu: "1500m", memory: "1Gi" } } })],
      [pods, pod({ ...using(cpu("1")), nodeName: "x" })],
      [`${pods}/x/resize`, { spec: using(cpu("2")) }],
    ],
    { code: 403, "details.causes": [{ reason: "NodeCapacity" }] },
  ],
  [
    "a pod can't be resized on a Windows node",
    [
      ["/api/v1/nodes", { metadata: { name: "x", labels: { "kubernetes.io/os": "windows" } } }],
      [pods, pod({ ...using(cpu("1")), nodeName: "x" })],
      [`${pods}/x/resize`, { spec: using(cpu("2")) }],
    ],
    { code: 403, "details.causes": [{ reason: "UnsupportedPlatform" }] },
  ],
  [
    "an empty struct is a change of a pod",
    [
      [pods, pod()],
      [`${pods}/x`, { spec: { affinity: {} } }],
    ],
    ["spec: Forbidden"],
  ],
  [
    "an empty map is no change of a pod",
    [
      [pods, pod()],
      [`${pods}/x`, { spec: { nodeSelector: {}, tolerations: [], dnsConfig: null } }],
    ],
    { "metadata.generation": 1 },
  ],
  [
    "an empty selector is a change of a claim",
    [
      [
        `${core}/persistentvolumeclaims`,
        {
          metadata: { name: "x" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
        },
      ],
      [`${core}/persistentvolumeclaims/x`, { spec: { selector: {} } }],
    ],
    ["spec: Forbidden"],
  ],
  [
    "a policy with a range for a device's capacity requires a default",
    [
      [
        slices,
        device({
          allowMultipleAllocations: true,
          capacity: { m: { value: "1Gi", requestPolicy: { validRange: { min: "1Mi" } } } },
        }),
      ],
    ],
    ["spec.devices[0].capacity[m].requestPolicy.default: Required value"],
  ],
  [
    "a ResourceSlice with counters has no list of devices, not even an empty one",
    [[slices, slice({ devices: [], sharedCounters: [{ name: "c", counters: { m: { value: "1" } } }] })]],
    ["spec: Invalid value"],
  ],
  [
    "a device loses the lists of its attributes",
    [[slices, device({ attributes: { a: { strings: ["b"] } } })]],
    ["spec.devices[0].attributes[a]: Invalid value"],
  ],
  [
    "a device loses the fields of a disabled feature",
    [
      [
        slices,
        device({ capacity: { m: { value: "1" } }, nodeAllocatableResourceMappings: { cpu: { capacityKey: "m" } } }),
      ],
    ],
    { "spec.devices.0": { name: "a", capacity: { m: { value: "1" } } } },
  ],
  [
    "a DeviceTaintRule has no more than eight conditions",
    [
      [rules, { metadata: { name: "x" }, spec: { taint: { key: "a", effect: "NoExecute" } } }],
      [
        `${rules}/x/status`,
        {
          status: {
            conditions: Array.from({ length: 9 }, (_, index) => ({
              type: `C${String(index)}`,
              status: "True",
              reason: "R",
              message: "",
              lastTransitionTime: "2026-01-01T00:00:00Z",
            })),
          },
        },
      ],
    ],
    ["status.conditions: Too many"],
  ],
];

const subresourceMethods: Readonly<Record<string, string>> = { finalize: "PUT", binding: "POST" };

const at = (body: Json, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (value as Json | undefined)?.[key], body);

it.each(table)("%s", async (_, steps, outcome) => {
  let body: Json = {};
  for (const [index, [path, json]] of steps.entries()) {
    expect(body).not.toHaveProperty("code");
    const method = index === 0 || path === pods ? "POST" : (subresourceMethods[path.split("/").at(-1)!] ?? "PATCH");
    ({ body } = await sendJson(server, { method, path, body: json }));
  }
  if (!Array.isArray(outcome)) {
    for (const [path, value] of Object.entries(outcome)) expect(at(body, path), JSON.stringify(body)).toEqual(value);
    return;
  }
  const { causes = [] } = (body["details"] ?? {}) as { causes?: { field: string; message: string }[] };
  expect(causeSet(causes.map(({ field, message }) => `${field}: ${message}`))).toEqual([...outcome].sort());
});

it.each([
  ["spec.host=n", 1],
  ["spec.host!=n", 0],
  ["status.podIPs=192.0.2.1", 0],
  ["status.podIP=192.0.2.1", 1],
])("pods with %s: %i", async (selector, count) => {
  await sendJson(server, { method: "POST", path: pods, body: pod({ nodeName: "n" }) });
  await sendJson(server, { method: "PATCH", path: `${pods}/x/status`, body: { status: { podIP: "192.0.2.1" } } });
  const path = `${pods}?fieldSelector=${encodeURIComponent(selector)}`;
  const { body } = await sendJson<{ items: Json[] }>(server, { method: "GET", path });
  expect(body.items).toHaveLength(count);
});

const quota = (hard: Record<string, string>): Json => ({ metadata: { name: "x" }, spec: { hard } });

it.each([
  [slices, slice({ driver: "D.test" }), "spec.driver"],
  [`${core}/resourcequotas`, quota({ "requests.memory": "2", "limits.memory": "1" }), "requests.memory"],
  [`${core}/resourcequotas`, quota({ cpu: "2", "limits.cpu": "1" }), "cpu (2)"],
])("POST %s %j warns of %s", async (path, body, part) => {
  const { headers } = await sendJson(server, { method: "POST", path, body });
  expect(headers.get("warning")).toContain(part);
});
