/** Object to print in a table, with its status. */
export interface PrintedObject {
  /** Path of the collection, without the namespace: `/api/v1/pods`. */
  readonly collection: string;
  readonly namespaced: boolean;
  readonly object: object;
  readonly status?: object;
}

let count = 0;

/** Returns objects of one kind, from pairs of a body and a status to patch in. Generates missing names. */
function kind(
  groupVersion: string,
  plural: string,
  namespaced: boolean,
  bodies: readonly (readonly [object, object?])[],
): PrintedObject[] {
  const collection = groupVersion.includes("/") ? `/apis/${groupVersion}/${plural}` : `/api/${groupVersion}/${plural}`;
  return bodies.map(([body, status]) => {
    count += 1;
    const { metadata, ...rest } = body as { metadata?: object };
    return {
      collection,
      namespaced,
      object: { metadata: { name: `printed-${String(count)}`, ...metadata }, ...rest },
      ...(status === undefined ? {} : { status }),
    };
  });
}

const past = "2026-01-02T03:04:05Z";
const container = (name: string, more: object = {}) => ({ name, image: `${name}:1`, ...more });
const running = (name: string, more: object = {}) => ({
  name,
  image: "",
  imageID: "",
  ready: true,
  restartCount: 0,
  lastState: {},
  state: { running: { startedAt: past } },
  started: true,
  ...more,
});
const waiting = (name: string, reason?: string) => ({
  ...running(name),
  ready: false,
  started: false,
  state: { waiting: reason === undefined ? {} : { reason } },
});
const ended = (name: string, end: object, more: object = {}) => ({
  ...running(name),
  ready: false,
  started: false,
  state: { terminated: { exitCode: 0, ...end } },
  ...more,
});
const ready = (status = "True", reason?: string) => ({
  type: "Ready",
  status,
  ...(reason === undefined ? {} : { reason }),
});
const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata,
  spec: { containers: [container("a"), container("b")], ...spec },
});
const selector = { matchLabels: { a: "b" } };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container("a"), container("b")] } };
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const metric = (type: string, value: object) => ({ type, [type.charAt(0).toLowerCase() + type.slice(1)]: value });
const peer = { service: { name: "web", port: { number: 80 } } };
const rule = (host?: string) => ({
  ...(host === undefined ? {} : { host }),
  http: { paths: [{ path: "/", pathType: "Prefix", backend: peer }] },
});
const pem =
  "-----BEGIN CERTIFICATE REQUEST-----\nMIHIMHECAQAwDzENMAsGA1UEAwwEdXNlcjBZMBMGByqGSM49AgEGCCqGSM49AwEH\nA0IABI48c3sm3MLIb4pFPFg2CuhT36aCWD9CMN7vFDX7S7DOfACyrdzZ0UB5XDJF\nmYt3dZE5f2FioGgR35i0hzUgjgmgADAKBggqhkjOPQQDAgNHADBEAiAVmVjbCs5y\njx22jiPzGlwsH1RqsP4OXKClXeX6bNjF6QIgaDWs+MmaiM+QOuwEX/LLhY9vtj65\nkAyNZfLyOqCwZ2c=\n-----END CERTIFICATE REQUEST-----\n";

/** Objects in the states that tables distinguish. */
export const printedObjects: readonly PrintedObject[] = [
  ...kind("v1", "pods", true, [
    [pod()],
    [
      pod({ nodeName: "n" }),
      {
        phase: "Running",
        podIP: "192.0.2.1",
        podIPs: [{ ip: "192.0.2.1" }],
        conditions: [ready()],
        containerStatuses: [running("a"), running("b")],
      },
    ],
    [
      pod({ nodeName: "n" }),
      {
        phase: "Running",
        conditions: [ready("False")],
        containerStatuses: [
          running("a", { restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: past } } }),
          waiting("b", "CrashLoopBackOff"),
        ],
      },
    ],
    [
      pod(),
      { phase: "Pending", containerStatuses: [waiting("a", "ContainerCreating"), waiting("b", "ImagePullBackOff")] },
    ],
    [pod(), { phase: "Pending", containerStatuses: [waiting("a"), waiting("b")] }],
    [
      pod({ restartPolicy: "Never" }),
      {
        phase: "Succeeded",
        containerStatuses: [ended("a", { reason: "Completed" }), ended("b", { reason: "Completed" })],
      },
    ],
    [
      pod({ restartPolicy: "Never" }),
      {
        phase: "Failed",
        containerStatuses: [ended("a", { exitCode: 2, reason: "Error" }), ended("b", { exitCode: 137, signal: 9 })],
      },
    ],
    [
      pod({ restartPolicy: "Never" }),
      { phase: "Failed", containerStatuses: [ended("a", { exitCode: 3 }), ended("b", { exitCode: 0 })] },
    ],
    [pod(), { phase: "Failed", reason: "Evicted", message: "The node was low on memory." }],
    [
      pod({ nodeName: "n" }),
      {
        phase: "Running",
        conditions: [ready("True")],
        containerStatuses: [running("a"), ended("b", { reason: "Completed" })],
      },
    ],
    [
      pod({ nodeName: "n" }),
      {
        phase: "Running",
        conditions: [ready("False")],
        containerStatuses: [running("a"), ended("b", { reason: "Completed" })],
      },
    ],
    [
      pod({ initContainers: [container("i"), container("j")] }),
      {
        phase: "Pending",
        initContainerStatuses: [ended("i", {}), running("j", { ready: false })],
        containerStatuses: [waiting("a", "PodInitializing"), waiting("b", "PodInitializing")],
      },
    ],
    [
      pod({ initContainers: [container("i")] }),
      {
        phase: "Pending",
        initContainerStatuses: [waiting("i", "CrashLoopBackOff")],
        containerStatuses: [waiting("a", "PodInitializing"), waiting("b", "PodInitializing")],
      },
    ],
    [
      pod({ initContainers: [container("i")] }),
      { phase: "Pending", initContainerStatuses: [waiting("i", "PodInitializing")] },
    ],
    [
      pod({ initContainers: [container("i")] }),
      { phase: "Failed", initContainerStatuses: [ended("i", { exitCode: 1 })] },
    ],
    [
      pod({ initContainers: [container("i")] }),
      { phase: "Failed", initContainerStatuses: [ended("i", { signal: 11, exitCode: 139 })] },
    ],
    [
      pod({ initContainers: [container("i")] }),
      { phase: "Failed", initContainerStatuses: [ended("i", { exitCode: 1, reason: "OOMKilled" })] },
    ],
    [
      pod({ initContainers: [container("s", { restartPolicy: "Always" })], nodeName: "n" }),
      {
        phase: "Running",
        conditions: [ready()],
        initContainerStatuses: [running("s", { restartCount: 2 })],
        containerStatuses: [running("a"), running("b")],
      },
    ],
    [
      pod({ initContainers: [container("s", { restartPolicy: "Always" }), container("i")] }),
      { phase: "Pending", initContainerStatuses: [running("s"), waiting("i")] },
    ],
    [
      pod({ readinessGates: [{ conditionType: "example.com/a" }, { conditionType: "example.com/b" }], nodeName: "n" }),
      {
        phase: "Running",
        conditions: [{ type: "example.com/a", status: "True" }],
        containerStatuses: [running("a"), running("b")],
      },
    ],
    [
      pod({ schedulingGates: [{ name: "example.com/wait" }] }),
      { conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
    ],
    [
      pod(),
      {
        phase: "Pending",
        nominatedNodeName: "m",
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
      },
    ],
    [pod({ nodeName: "n" }, { finalizers: ["example.com/hold"] }), { phase: "Unknown", reason: "NodeLost" }],
    [
      pod({ nodeName: "n" }),
      {
        phase: "Running",
        containerStatuses: [
          running("a", { restartCount: 1, lastState: { terminated: { exitCode: 0, finishedAt: past } } }),
          running("b", {
            restartCount: 4,
            lastState: { terminated: { exitCode: 0, finishedAt: "2026-02-02T03:04:05Z" } },
          }),
        ],
      },
    ],
  ]),
  ...kind("v1", "nodes", false, [
    [
      { metadata: { labels: { "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "extra" } } },
      {
        conditions: [ready()],
        nodeInfo: {
          kubeletVersion: "v1.36.3",
          osImage: "Linux",
          kernelVersion: "6.1",
          containerRuntimeVersion: "containerd://2",
          architecture: "amd64",
          bootID: "",
          machineID: "",
          systemUUID: "",
          operatingSystem: "linux",
          kubeProxyVersion: "",
        },
        addresses: [
          { type: "InternalIP", address: "192.0.2.1" },
          { type: "ExternalIP", address: "192.0.2.2" },
          { type: "Hostname", address: "h" },
        ],
      },
    ],
    [{ spec: { unschedulable: true } }, { conditions: [ready("False")] }],
    [{}, { conditions: [ready("Unknown")] }],
    [
      { metadata: { labels: { "node-role.kubernetes.io/b": "", "node-role.kubernetes.io/a": "" } } },
      { conditions: [] },
    ],
  ]),
  ...kind("v1", "services", true, [
    [
      {
        spec: {
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 53, protocol: "UDP" },
          ],
          selector: { b: "2", a: "1" },
        },
      },
    ],
    [{ spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30055 }] } }],
    [
      { spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30056 }], externalIPs: ["192.0.2.5"] } },
      { loadBalancer: { ingress: [{ ip: "192.0.2.9" }, { hostname: "example.com" }] } },
    ],
    [{ spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] } }],
    [{ spec: { type: "ExternalName", externalName: "example.com", ports: [] } }],
    [{ spec: { clusterIP: "None", ports: [{ port: 80 }] } }],
    [{ spec: { ports: [{ port: 80 }], externalIPs: ["192.0.2.5", "192.0.2.6"] } }],
  ]),
  ...kind("v1", "endpoints", true, [
    [{}],
    [
      {
        subsets: [
          {
            addresses: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }, { ip: "192.0.2.3" }, { ip: "192.0.2.4" }],
            ports: [
              { name: "a", port: 80 },
              { name: "b", port: 81 },
            ],
          },
        ],
      },
    ],
    [{ subsets: [{ notReadyAddresses: [{ ip: "192.0.2.1" }], ports: [{ port: 80 }] }] }],
    [{ subsets: [{ addresses: [{ ip: "192.0.2.1" }] }] }],
  ]),
  ...kind("v1", "persistentvolumes", false, [
    [
      {
        spec: {
          capacity: { storage: "5Gi" },
          accessModes: ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"],
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: "c",
          claimRef: { namespace: "n", name: "c" },
          volumeMode: "Block",
          hostPath: { path: "/a" },
        },
      },
      { phase: "Bound", reason: "because" },
    ],
    [
      { spec: { capacity: { storage: "5000M" }, accessModes: ["ReadWriteOncePod"], hostPath: { path: "/a" } } },
      { phase: "Released" },
    ],
  ]),
  ...kind("v1", "persistentvolumeclaims", true, [
    [
      {
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "c",
          volumeName: "v",
          resources: { requests: { storage: "1Gi" } },
        },
      },
      { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOnce"] },
    ],
    [
      {
        spec: {
          accessModes: ["ReadWriteOnce"],
          volumeAttributesClassName: "gold",
          resources: { requests: { storage: "1Gi" } },
        },
      },
    ],
    [
      {
        metadata: { finalizers: ["example.com/hold"] },
        spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
      },
      { phase: "Lost" },
    ],
  ]),
  ...kind("v1", "configmaps", true, [[{ data: { a: "b" }, binaryData: { c: "" } }], [{}]]),
  ...kind("v1", "secrets", true, [
    [{ type: "kubernetes.io/basic-auth", stringData: { username: "u", password: "p" } }],
    [{}],
  ]),
  ...kind("v1", "serviceaccounts", true, [[{ secrets: [{ name: "a" }, { name: "b" }] }], [{}]]),
  ...kind("v1", "namespaces", false, [[{}]]),
  ...kind("v1", "limitranges", true, [[{ spec: { limits: [] } }]]),
  ...kind("v1", "resourcequotas", true, [
    [
      {
        spec: {
          hard: {
            pods: "1000",
            "limits.cpu": "1000",
            "requests.memory": "1000Gi",
            secrets: "2000",
            "limits.ephemeral-storage": "1000Gi",
          },
        },
      },
      {
        hard: { pods: "1000", "limits.cpu": "1000", "requests.memory": "1000Gi" },
        used: { pods: "1", "limits.cpu": "500m", "requests.memory": "1Gi" },
      },
    ],
    [{ spec: { hard: { services: "20000" } } }],
  ]),
  ...kind("v1", "replicationcontrollers", true, [
    [{ spec: { replicas: 3, selector: { a: "b" }, template } }, { replicas: 2, readyReplicas: 1 }],
  ]),
  ...kind("v1", "podtemplates", true, [[{ template }]]),
  ...kind("v1", "events", true, [
    [
      {
        involvedObject: { kind: "Pod", name: "p", namespace: "printed", fieldPath: "spec.containers{a}" },
        reason: "Started",
        message: "it did\n",
        type: "Normal",
        source: { component: "kubelet", host: "n" },
        firstTimestamp: past,
        lastTimestamp: "2026-02-02T03:04:05Z",
        count: 7,
      },
    ],
    [
      {
        involvedObject: { kind: "Pod", name: "p", namespace: "printed" },
        reason: "New",
        message: "m",
        type: "Warning",
        eventTime: "2026-01-02T03:04:05.000000Z",
        series: { count: 3, lastObservedTime: "2026-02-02T03:04:05.000000Z" },
        reportingComponent: "example.com/c",
        reportingInstance: "i",
        action: "Act",
      },
    ],
    [{ involvedObject: { namespace: "printed" } }],
  ]),
  ...kind("apps/v1", "deployments", true, [
    [
      { spec: { replicas: 3, selector, template } },
      { replicas: 4, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
    ],
    [{ spec: { selector: { matchExpressions: [{ key: "a", operator: "In", values: ["b", "c"] }] }, template } }],
  ]),
  ...kind("apps/v1", "replicasets", true, [
    [{ spec: { replicas: 3, selector, template } }, { replicas: 4, readyReplicas: 2 }],
  ]),
  ...kind("apps/v1", "statefulsets", true, [
    [{ spec: { replicas: 3, serviceName: "s", selector, template } }, { replicas: 3, readyReplicas: 2 }],
  ]),
  ...kind("apps/v1", "daemonsets", true, [
    [
      { spec: { selector, template: { ...template, spec: { ...template.spec, nodeSelector: { disk: "ssd" } } } } },
      {
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
        numberMisscheduled: 0,
      },
    ],
  ]),
  ...kind("apps/v1", "controllerrevisions", true, [
    [
      {
        metadata: {
          ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "u", controller: true }],
        },
        data: {},
        revision: 4,
      },
    ],
    [{ data: {}, revision: 0 }],
  ]),
  ...kind("batch/v1", "jobs", true, [
    [{ spec: { template: jobTemplate } }, { active: 1, startTime: past }],
    [{ spec: { completions: 5, parallelism: 2, template: jobTemplate } }, { succeeded: 2, startTime: past }],
    [{ spec: { parallelism: 3, completions: null, template: jobTemplate } }, { startTime: past, succeeded: 1 }],
    [{ spec: { suspend: true, template: jobTemplate } }, { conditions: [{ type: "Suspended", status: "True" }] }],
    [
      { spec: { template: jobTemplate } },
      {
        startTime: past,
        completionTime: "2026-01-02T05:04:05Z",
        succeeded: 1,
        uncountedTerminatedPods: {},
        conditions: [
          { type: "SuccessCriteriaMet", status: "True", lastTransitionTime: past },
          { type: "Complete", status: "True", lastTransitionTime: past },
        ],
      },
    ],
    [
      { spec: { template: jobTemplate } },
      {
        startTime: past,
        uncountedTerminatedPods: {},
        conditions: [{ type: "FailureTarget", status: "True", lastTransitionTime: past, reason: "r" }],
      },
    ],
  ]),
  ...kind("batch/v1", "cronjobs", true, [
    [
      { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } } },
      { lastScheduleTime: past, active: [{ name: "j" }, { name: "k" }] },
    ],
    [
      {
        spec: {
          schedule: "0 0 1 1 *",
          suspend: true,
          timeZone: "Etc/UTC",
          jobTemplate: { spec: { template: jobTemplate } },
        },
      },
    ],
  ]),
  ...kind("autoscaling/v2", "horizontalpodautoscalers", true, [
    [
      {
        spec: {
          scaleTargetRef: target,
          maxReplicas: 9,
          metrics: [metric("Resource", { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } })],
        },
      },
      {
        currentReplicas: 2,
        desiredReplicas: 3,
        currentMetrics: [
          metric("Resource", { name: "cpu", current: { averageUtilization: 35, averageValue: "100m" } }),
        ],
      },
    ],
    [
      {
        spec: {
          scaleTargetRef: target,
          minReplicas: 2,
          maxReplicas: 9,
          metrics: [
            metric("Resource", { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } }),
            metric("Pods", { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "10" } }),
            metric("Object", { describedObject: target, metric: { name: "o" }, target: { type: "Value", value: "5" } }),
          ],
        },
      },
      {
        currentReplicas: 1,
        desiredReplicas: 1,
        currentMetrics: [
          metric("Resource", { name: "memory", current: { averageValue: "512Mi" } }),
          metric("Pods", { metric: { name: "q" }, current: { averageValue: "4" } }),
        ],
      },
    ],
    [
      {
        spec: {
          scaleTargetRef: target,
          maxReplicas: 9,
          metrics: [
            metric("External", { metric: { name: "e" }, target: { type: "AverageValue", averageValue: "10" } }),
            metric("External", { metric: { name: "f" }, target: { type: "Value", value: "10" } }),
            metric("ContainerResource", {
              name: "cpu",
              container: "a",
              target: { type: "Utilization", averageUtilization: 50 },
            }),
          ],
        },
      },
    ],
    [
      {
        spec: {
          scaleTargetRef: target,
          maxReplicas: 9,
          metrics: [
            metric("Object", {
              describedObject: target,
              metric: { name: "o" },
              target: { type: "AverageValue", averageValue: "5" },
            }),
          ],
        },
      },
      {
        currentReplicas: 0,
        desiredReplicas: 0,
        currentMetrics: [
          metric("Object", { describedObject: target, metric: { name: "o" }, current: { averageValue: "3" } }),
        ],
      },
    ],
  ]),
  ...kind("autoscaling/v1", "horizontalpodautoscalers", true, [
    [
      { spec: { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 60 } },
      { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 12 },
    ],
  ]),
  ...kind("policy/v1", "poddisruptionbudgets", true, [
    [
      { spec: { minAvailable: 2, selector } },
      { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 },
    ],
    [{ spec: { maxUnavailable: "25%", selector } }],
    [{ spec: { selector } }],
  ]),
  ...kind("networking.k8s.io/v1", "ingresses", true, [
    [
      { spec: { defaultBackend: peer } },
      { loadBalancer: { ingress: [{ ip: "192.0.2.1" }, { hostname: "example.com" }] } },
    ],
    [
      {
        spec: {
          ingressClassName: "c",
          tls: [{}],
          rules: [rule("a.example.com"), rule("b.example.com"), rule("c.example.com"), rule("d.example.com")],
        },
      },
    ],
    [{ spec: { rules: [rule()] } }],
  ]),
  ...kind("networking.k8s.io/v1", "networkpolicies", true, [
    [{ spec: { podSelector: selector } }],
    [{ spec: { podSelector: {} } }],
  ]),
  ...kind("networking.k8s.io/v1", "ingressclasses", false, [
    [{ spec: { controller: "example.com/c", parameters: { apiGroup: "example.com", kind: "P", name: "p" } } }],
    [{ spec: { controller: "example.com/c" } }],
  ]),
  ...kind("networking.k8s.io/v1", "ipaddresses", false, [
    [{ metadata: { name: "192.0.2.77" }, spec: { parentRef: { resource: "services", namespace: "n", name: "s" } } }],
  ]),
  ...kind("networking.k8s.io/v1", "servicecidrs", false, [[{ spec: { cidrs: ["198.51.100.0/24", "2001:db8::/64"] } }]]),
  ...kind("discovery.k8s.io/v1", "endpointslices", true, [
    [
      {
        addressType: "IPv4",
        endpoints: [
          { addresses: ["192.0.2.1"] },
          { addresses: ["192.0.2.2"] },
          { addresses: ["192.0.2.3"] },
          { addresses: ["192.0.2.4"] },
        ],
        ports: [{ port: 80 }, { name: "b", port: 81 }],
      },
    ],
    [{ addressType: "IPv6", endpoints: [] }],
    [{ addressType: "FQDN", endpoints: [{ addresses: ["a.example.com"] }], ports: [{}] }],
  ]),
  ...kind("storage.k8s.io/v1", "storageclasses", false, [
    [
      {
        metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "example.com/p",
      },
    ],
    [
      {
        provisioner: "example.com/p",
        reclaimPolicy: "Retain",
        volumeBindingMode: "WaitForFirstConsumer",
        allowVolumeExpansion: true,
      },
    ],
  ]),
  ...kind("storage.k8s.io/v1", "csidrivers", false, [
    [
      {
        spec: {
          tokenRequests: [{ audience: "a" }, { audience: "b" }],
          requiresRepublish: true,
          storageCapacity: true,
          volumeLifecycleModes: ["Persistent", "Ephemeral"],
        },
      },
    ],
  ]),
  ...kind("storage.k8s.io/v1", "csinodes", false, [
    [{ spec: { drivers: [{ name: "a", nodeID: "n", topologyKeys: null }] } }],
  ]),
  ...kind("storage.k8s.io/v1", "csistoragecapacities", true, [[{ storageClassName: "c", capacity: "5Gi" }]]),
  ...kind("storage.k8s.io/v1", "volumeattachments", false, [
    [{ spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } }, { attached: true }],
    [
      {
        spec: {
          attacher: "a",
          nodeName: "n",
          source: {
            inlineVolumeSpec: { accessModes: ["ReadWriteOnce"], csi: { driver: "d.example.com", volumeHandle: "h" } },
          },
        },
      },
    ],
  ]),
  ...kind("storage.k8s.io/v1", "volumeattributesclasses", false, [
    [{ driverName: "d.example.com", parameters: { a: "b" } }],
  ]),
  ...kind("rbac.authorization.k8s.io/v1", "roles", true, [[{ rules: [] }]]),
  ...kind("rbac.authorization.k8s.io/v1", "rolebindings", true, [
    [
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
          { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "g" },
          { kind: "ServiceAccount", namespace: "n", name: "s" },
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "v" },
        ],
      },
    ],
  ]),
  ...kind("rbac.authorization.k8s.io/v1", "clusterroles", false, [[{ rules: [] }]]),
  ...kind("rbac.authorization.k8s.io/v1", "clusterrolebindings", false, [
    [{ roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } }],
  ]),
  ...kind("scheduling.k8s.io/v1", "priorityclasses", false, [[{ value: -5, preemptionPolicy: "Never" }]]),
  ...kind("node.k8s.io/v1", "runtimeclasses", false, [[{ handler: "h" }]]),
  ...kind("coordination.k8s.io/v1", "leases", true, [[{ spec: { holderIdentity: "me" } }], [{}]]),
  ...kind("certificates.k8s.io/v1", "certificatesigningrequests", false, [
    [
      {
        spec: {
          request: Buffer.from(pem).toString("base64"),
          signerName: "example.com/s",
          usages: ["client auth"],
          expirationSeconds: 3600,
        },
      },
    ],
  ]),
  ...kind("flowcontrol.apiserver.k8s.io/v1", "flowschemas", false, [
    [
      {
        spec: {
          priorityLevelConfiguration: { name: "global-default" },
          matchingPrecedence: 77,
          distinguisherMethod: { type: "ByUser" },
        },
      },
      { conditions: [{ type: "Dangling", status: "False" }] },
    ],
  ]),
  ...kind("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", false, [
    [
      {
        spec: {
          type: "Limited",
          limited: {
            nominalConcurrencyShares: 5,
            limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 9 } },
          },
        },
      },
    ],
    [{ spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } }],
  ]),
  ...kind("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", false, [[{ webhooks: [] }]]),
  ...kind("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", false, [[{}]]),
  ...kind("admissionregistration.k8s.io/v1", "validatingadmissionpolicies", false, [
    [
      {
        spec: {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
          matchConstraints: {
            resourceRules: [
              { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] },
            ],
          },
          validations: [{ expression: "true" }, { expression: "1 == 1" }],
        },
      },
    ],
  ]),
  ...kind("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", false, [
    [
      {
        spec: {
          policyName: "p",
          validationActions: ["Deny"],
          paramRef: { name: "a", parameterNotFoundAction: "Deny" },
        },
      },
    ],
    [
      {
        spec: {
          policyName: "p",
          validationActions: ["Warn"],
          paramRef: { selector: {}, namespace: "n", parameterNotFoundAction: "Allow" },
        },
      },
    ],
  ]),
  ...kind("resource.k8s.io/v1", "deviceclasses", false, [[{ spec: {} }]]),
  ...kind("resource.k8s.io/v1", "resourceclaims", true, [
    [{ spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c" } }] } } }],
  ]),
  ...kind("resource.k8s.io/v1", "resourceclaimtemplates", true, [[{ spec: { spec: {} } }]]),
  ...kind("resource.k8s.io/v1", "resourceslices", false, [
    [
      {
        spec: {
          driver: "d.example.com",
          nodeName: "n",
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          devices: [],
        },
      },
    ],
  ]),
];
