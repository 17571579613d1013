import type { Probe, Step, Topic } from "../probe.js";
import { objectOf, variants } from "./fuzz.js";
import type { KindFixture } from "./kinds.js";
import { kindFixtures } from "./kinds.js";
import { patchFor } from "./writes.js";

type Json = Record<string, unknown>;

const time = "2001-01-01T00:00:00Z";
const condition = { type: "Ready", status: "True", lastTransitionTime: time, reason: "Because", message: "m" };
const probed = { lastProbeTime: time, lastHeartbeatTime: time };
const cpu = { cpu: "1", memory: "1Gi" };
const metric = { name: "m", selector: { matchLabels: { a: "b" } } };
const container = (name: string): Json => ({
  name,
  state: { running: { startedAt: time } },
  lastState: {
    terminated: {
      exitCode: 1,
      signal: 2,
      reason: "Error",
      message: "m",
      startedAt: time,
      finishedAt: time,
      containerID: "x://y",
    },
  },
  ready: true,
  restartCount: 1,
  image: "i",
  imageID: "x",
  containerID: "x://z",
  started: true,
  allocatedResources: cpu,
  resources: { limits: cpu },
  volumeMounts: [{ name: "empty", mountPath: "/e", readOnly: true, recursiveReadOnly: "Disabled" }],
  user: { linux: { uid: 1, gid: 2, supplementalGroups: [3] } },
  stopSignal: "SIGTERM",
  allocatedResourcesStatus: [{ name: "example.com/gpu", resources: [{ resourceID: "r", health: "Healthy" }] }],
});
const device = { request: "r", driver: "d.example", pool: "n", device: "dev" };

/** Typical status of each kind, as written by controllers. */
const statuses: Readonly<Record<string, Json>> = {
  pods: {
    phase: "Running",
    observedGeneration: 1,
    conditions: [{ ...condition, lastProbeTime: time, observedGeneration: 1 }],
    message: "m",
    reason: "r",
    nominatedNodeName: "n",
    hostIP: "1.2.3.4",
    hostIPs: [{ ip: "1.2.3.4" }],
    podIP: "1.2.3.5",
    podIPs: [{ ip: "1.2.3.5" }],
    startTime: time,
    qosClass: "Burstable",
    resize: "Deferred",
    initContainerStatuses: [container("init")],
    containerStatuses: [container("main")],
    ephemeralContainerStatuses: [container("debug")],
    resourceClaimStatuses: [{ name: "c", resourceClaimName: "d" }],
    allocatedResources: cpu,
    resources: { limits: cpu },
  },
  services: {
    loadBalancer: {
      ingress: [
        { ip: "1.2.3.4", ipMode: "VIP", ports: [{ port: 80, protocol: "TCP", error: "e.example/x" }] },
        { hostname: "a.example" },
      ],
    },
    conditions: [{ ...condition, observedGeneration: 1 }],
  },
  resourcequotas: { hard: { cpu: "10", pods: "5" }, used: { cpu: "1", pods: "2" } },
  persistentvolumeclaims: {
    phase: "Bound",
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    conditions: [{ ...condition, lastProbeTime: time }],
    allocatedResources: { storage: "1Gi" },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
    currentVolumeAttributesClassName: "a",
    modifyVolumeStatus: { targetVolumeAttributesClassName: "b", status: "Pending" },
  },
  persistentvolumes: { phase: "Available", message: "m", reason: "r", lastPhaseTransitionTime: time },
  namespaces: { phase: "Active", conditions: [{ ...condition, type: "NamespaceContentRemaining" }] },
  nodes: {
    capacity: { cpu: "4", "example.com/gpu": "1" },
    allocatable: { cpu: "3" },
    phase: "Running",
    conditions: [{ ...condition, ...{ lastHeartbeatTime: probed.lastHeartbeatTime } }],
    addresses: [
      { type: "InternalIP", address: "1.2.3.4" },
      { type: "Hostname", address: "n" },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      machineID: "m",
      systemUUID: "s",
      bootID: "b",
      kernelVersion: "k",
      osImage: "o",
      containerRuntimeVersion: "c",
      kubeletVersion: "v1.36.0",
      kubeProxyVersion: "v1.36.0",
      operatingSystem: "linux",
      architecture: "amd64",
      swap: { capacity: 1 },
    },
    images: [{ names: ["i"], sizeBytes: 5 }],
    volumesInUse: ["v"],
    volumesAttached: [{ name: "v", devicePath: "/d" }],
    config: {
      assigned: { configMap: { namespace: "n", name: "c", uid: "u", resourceVersion: "1", kubeletConfigKey: "k" } },
      error: "e",
    },
    runtimeHandlers: [{ name: "runc", features: { recursiveReadOnlyMounts: true, userNamespaces: true } }],
    features: { supplementalGroupsPolicy: true },
    declaredFeatures: ["A"],
  },
  replicationcontrollers: {
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    observedGeneration: 1,
    conditions: [condition],
  },
  "apps-v1-deployments": {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 2,
    readyReplicas: 3,
    availableReplicas: 2,
    unavailableReplicas: 1,
    terminatingReplicas: 1,
    collisionCount: 1,
    conditions: [{ ...condition, lastUpdateTime: time }],
  },
  "apps-v1-replicasets": {
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 1,
    observedGeneration: 1,
    conditions: [condition],
  },
  "apps-v1-statefulsets": {
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 2,
    availableReplicas: 1,
    currentRevision: "a",
    updateRevision: "b",
    collisionCount: 1,
    conditions: [condition],
  },
  "apps-v1-daemonsets": {
    currentNumberScheduled: 1,
    numberMisscheduled: 1,
    desiredNumberScheduled: 2,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
    collisionCount: 1,
    conditions: [condition],
  },
  "batch-v1-jobs": {
    active: 1,
    ready: 1,
    startTime: time,
    terminating: 0,
    succeeded: 1,
    failed: 1,
    completedIndexes: "0",
    failedIndexes: "1",
    uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] },
    conditions: [{ ...condition, type: "Suspended", lastProbeTime: time }],
  },
  "batch-v1-cronjobs": {
    active: [{ apiVersion: "batch/v1", kind: "Job", namespace: "n", name: "j", uid: "u" }],
    lastScheduleTime: time,
    lastSuccessfulTime: time,
  },
  "autoscaling-v2-horizontalpodautoscalers": {
    observedGeneration: 1,
    lastScaleTime: time,
    currentReplicas: 1,
    desiredReplicas: 2,
    conditions: [{ ...condition, type: "AbleToScale" }],
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 5, averageValue: "5m" } } },
      { type: "Pods", pods: { metric, current: { averageValue: "1" } } },
      { type: "Object", object: { metric, describedObject: { kind: "Service", name: "s" }, current: { value: "1" } } },
      { type: "External", external: { metric, current: { value: "1" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "main", current: { averageValue: "1" } },
      },
    ],
  },
  "autoscaling-v1-horizontalpodautoscalers": {
    observedGeneration: 1,
    lastScaleTime: time,
    currentReplicas: 1,
    desiredReplicas: 2,
    currentCPUUtilizationPercentage: 3,
  },
  "policy-v1-poddisruptionbudgets": {
    observedGeneration: 1,
    disruptedPods: { p: time },
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    conditions: [{ ...condition, observedGeneration: 1 }],
  },
  "networking-v1-ingresses": {
    loadBalancer: {
      ingress: [
        { ip: "1.2.3.4", ports: [{ port: 80, protocol: "TCP", error: "e.example/x" }] },
        { hostname: "a.example" },
      ],
    },
  },
  "networking-v1-servicecidrs": { conditions: [{ ...condition, observedGeneration: 1 }] },
  "storage-v1-volumeattachments": {
    attached: true,
    attachmentMetadata: { a: "b" },
    attachError: { time, message: "m", errorCode: 3 },
    detachError: { time, message: "m" },
  },
  "certificates-v1-certificatesigningrequests": {
    conditions: [
      { type: "Failed", status: "True", reason: "r", message: "m", lastUpdateTime: time, lastTransitionTime: time },
    ],
    certificate: "",
  },
  "admissionregistration-v1-validatingadmissionpolicies": {
    observedGeneration: 1,
    typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "w" }] },
    conditions: [{ ...condition, observedGeneration: 1 }],
  },
  "flowcontrol-v1-flowschemas": { conditions: [{ ...condition, type: "Dangling" }] },
  "flowcontrol-v1-prioritylevelconfigurations": { conditions: [condition] },
  "apiregistration-v1-apiservices": { conditions: [{ ...condition, type: "Available" }] },
  "resource-v1-resourceclaims": {
    allocation: {
      devices: {
        results: [{ ...device, adminAccess: false, tolerations: [{ key: "k", operator: "Exists" }] }],
        config: [{ source: "FromClaim", requests: ["r"], opaque: { driver: "d.example", parameters: { a: 1 } } }],
      },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }] },
      allocationTimestamp: time,
    },
    reservedFor: [{ resource: "pods", name: "p", uid: "u" }],
    devices: [
      {
        driver: "d.example",
        pool: "n",
        device: "dev",
        conditions: [{ ...condition, observedGeneration: 1 }],
        data: { a: 1 },
        networkData: { interfaceName: "eth0", ips: ["10.1.2.3/24"], hardwareAddress: "aa:bb" },
      },
    ],
  },
  "resource-v1beta2-devicetaintrules": { conditions: [{ ...condition, observedGeneration: 1 }] },
  "resource-v1alpha3-resourcepoolstatusrequests": {
    conditions: [{ ...condition, observedGeneration: 1 }],
    poolCount: 1,
    pools: [
      {
        driver: "d.example",
        poolName: "p",
        nodeName: "n",
        generation: 1,
        totalDevices: 3,
        availableDevices: 2,
        allocatedDevices: 1,
        unavailableDevices: 0,
        resourceSliceCount: 1,
      },
    ],
  },
  "internal-v1alpha1-storageversions": {
    storageVersions: [{ apiServerID: "a", encodingVersion: "v1", decodableVersions: ["v1"], servedVersions: ["v1"] }],
    commonEncodingVersion: "v1",
    conditions: [{ ...condition, observedGeneration: 1 }],
  },
};

export interface Subject {
  readonly fixture: KindFixture;
  readonly object: Json;
  readonly path: string;
  readonly status: Json;
}

export const subjects: readonly Subject[] = kindFixtures.flatMap((fixture) => {
  const status = statuses[fixture.name];
  if (status === undefined) return [];
  const object = objectOf(fixture, fixture.rich, "stat");
  return [{ fixture, object, path: `${fixture.collection}/${(object["metadata"] as Json)["name"] as string}`, status }];
});

const put = (path: string, json: unknown, more: Partial<Step> = {}): Step => ({ method: "PUT", path, json, ...more });
const named = (object: Json, more: Json = {}): Json => ({
  ...object,
  metadata: { ...(object["metadata"] as Json), ...more },
});

/** Deletes an object, after removing everything that would keep it. */
function deletionSteps({ fixture, path }: Subject): Step[] {
  const free: Step =
    fixture.kind === "Namespace"
      ? put(
          `${path}/finalize`,
          {
            apiVersion: "v1",
            kind: "Namespace",
            metadata: { name: path.slice(path.lastIndexOf("/") + 1) },
            spec: { finalizers: [] },
          },
          { silent: true },
        )
      : { ...patchFor(path, "merge", { metadata: { finalizers: null } }), silent: true };
  const gone: Step = { method: "DELETE", path: `${path}?gracePeriodSeconds=0`, silent: true };
  return fixture.kind === "Namespace" ? [gone, free] : [free, gone];
}

/** Valid and invalid writes to the status of each kind. */
export const statusWrites: Topic = {
  name: "status",
  probes: subjects.flatMap((subject): Probe[] => {
    const { fixture, object, path, status } = subject;
    const changed = variants({ status }).map(([name, { status: other }]) => [name, other] as const);
    const read: Step = { method: "GET", path, silent: true, capture: { rv: "/metadata/resourceVersion" } };
    const written = (other: unknown): Step[] => [
      read,
      put(`${path}/status?dryRun=All`, {
        ...named(object, { resourceVersion: "${rv}" }),
        ...(other === undefined ? {} : { status: other }),
      }),
    ];
    const patched = {
      metadata: {
        labels: { x: "y" },
        annotations: { x: "y" },
        finalizers: ["x.example/y"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
      },
      status,
    };
    return [
      {
        id: `${fixture.name}/first`,
        steps: [{ method: "POST", path: fixture.collection, json: object, silent: true }],
      },
      ...changed.map(([name, other]) => ({ id: `${fixture.name}/new ${name}`, steps: written(other) })),
      {
        id: `${fixture.name}/patched`,
        steps: (["merge", "strategic"] as const).flatMap((type) => [
          patchFor(`${path}/status`, type, patched, "&dryRun=All&fieldManager=p"),
          patchFor(path, type, patched, "&dryRun=All&fieldManager=p"),
        ]),
      },
      {
        id: `${fixture.name}/applied`,
        steps: ["/status", ""].flatMap((sub) => [
          patchFor(
            `${path}${sub}`,
            "apply",
            { ...named(object, { labels: { y: "z" } }), status },
            "&dryRun=All&fieldManager=a",
          ),
          patchFor(
            `${path}${sub}`,
            "apply",
            { ...named(object, { labels: { y: "z" } }), status },
            "&dryRun=All&force=true&fieldManager=a",
          ),
        ]),
      },
      {
        id: `${fixture.name}/full`,
        steps: [
          read,
          put(`${path}?fieldManager=main`, { ...named(object, { resourceVersion: "${rv}" }), status }),
          read,
          put(`${path}/status?fieldManager=state`, {
            ...named(object, { resourceVersion: "${rv}", labels: { w: "x" }, annotations: { w: "x" } }),
            status,
          }),
          { method: "GET", path },
          { method: "GET", path: `${path}/status` },
          read,
          put(`${path}/status?fieldManager=state`, { ...named(object, { resourceVersion: "${rv}" }), status }),
        ],
      },
      ...changed.map(([name, other]) => ({ id: `${fixture.name}/old ${name}`, steps: written(other) })),
      { id: `${fixture.name}/last`, steps: deletionSteps(subject) },
    ];
  }),
};
