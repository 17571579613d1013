import type { Probe, Step, Topic } from "../../probe.js";
import type { Json } from "./steps.js";
import { container, one, patch, post, put, quiet, remove } from "./steps.js";

/** Objects of one kind: their common fields and the fields of each. */
interface Family {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly collection: string;
  /** Creates an object with these fields. */
  readonly make: (more: Json) => Json;
  readonly cases: readonly (readonly [name: string, more: Json])[];
  /** Changes of an object, from one state to another. */
  readonly changes?: readonly (readonly [name: string, from: Json, to: Json])[];
}

const template = (spec: Json = {}): Json => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [container], ...spec },
});
const jobTemplate = (spec: Json = {}): Json => template({ restartPolicy: "Never", ...spec });
const selector = { matchLabels: { a: "b" } };
const inNamespace = (group: string, resource: string): string =>
  `${group === "v1" ? "/api/v1" : `/apis/${group}`}/namespaces/\${ns}/${resource}`;
const port = (more: Json = {}): Json => ({ port: 80, ...more });
const ofSpec =
  (base: Json) =>
  (more: Json): Json => ({ metadata: { name: "f" }, spec: { ...base, ...more } });
const bare = (more: Json): Json => ({ metadata: { name: "f" }, ...more });

const services: Family = {
  name: "services",
  apiVersion: "v1",
  kind: "Service",
  collection: inNamespace("v1", "services"),
  make: ofSpec({ ports: [port()] }),
  cases: [
    ["plain", { selector: { a: "b" } }],
    ["no-ports", { ports: [] }],
    ["headless", { clusterIP: "None", selector: { a: "b" } }],
    ["headless-bare", { clusterIP: "None" }],
    ["headless-no-ports", { clusterIP: "None", ports: [], selector: { a: "b" } }],
    ["external-name", { type: "ExternalName", externalName: "a.b", ports: [] }],
    ["external-name-ports", { type: "ExternalName", externalName: "a.b" }],
    ["external-name-ip", { type: "ExternalName", externalName: "a.b", clusterIP: "10.0.0.5" }],
    ["external-name-headless", { type: "ExternalName", externalName: "a.b", clusterIP: "None" }],
    ["external-name-bad", { type: "ExternalName", externalName: "A_." }],
    ["external-name-none", { type: "ExternalName" }],
    ["name-other-type", { externalName: "a.b" }],
    ["node-port", { type: "NodePort" }],
    ["node-port-own", { type: "NodePort", ports: [port({ nodePort: 30023 })] }],
    ["node-port-bad", { type: "NodePort", ports: [port({ nodePort: 80 })] }],
    ["node-port-of-cluster", { ports: [port({ nodePort: 30001 })] }],
    [
      "node-port-two-protocols",
      {
        type: "NodePort",
        ports: [port({ name: "a", nodePort: 30024 }), port({ name: "b", protocol: "UDP", nodePort: 30024 })],
      },
    ],
    [
      "node-port-twice",
      {
        type: "NodePort",
        ports: [port({ name: "a", nodePort: 30025 }), port({ name: "b", port: 81, nodePort: 30025 })],
      },
    ],
    ["node-port-headless", { type: "NodePort", clusterIP: "None" }],
    ["balancer", { type: "LoadBalancer" }],
    [
      "balancer-all",
      {
        type: "LoadBalancer",
        loadBalancerIP: "1.2.3.4",
        loadBalancerSourceRanges: ["1.2.3.0/24"],
        loadBalancerClass: "a.b/c",
        allocateLoadBalancerNodePorts: false,
        externalTrafficPolicy: "Local",
        healthCheckNodePort: 30999,
      },
    ],
    [
      "balancer-ranges-bad",
      { type: "LoadBalancer", loadBalancerSourceRanges: ["x", " 1.2.3.0/24 "], loadBalancerClass: "A_" },
    ],
    ["balancer-local", { type: "LoadBalancer", externalTrafficPolicy: "Local" }],
    ["balancer-mixed", { type: "LoadBalancer", ports: [port({ name: "a" }), port({ name: "b", protocol: "UDP" })] }],
    [
      "balancer-fields-of-cluster",
      {
        loadBalancerSourceRanges: ["1.2.3.0/24"],
        loadBalancerClass: "a.b/c",
        allocateLoadBalancerNodePorts: false,
        healthCheckNodePort: 30998,
        externalTrafficPolicy: "Local",
      },
    ],
    ["ranges-node-port", { type: "NodePort", loadBalancerSourceRanges: ["1.2.3.0/24"] }],
    ["affinity", { sessionAffinity: "ClientIP" }],
    ["affinity-timeout", { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }],
    ["affinity-none-config", { sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }],
    ["affinity-bad", { sessionAffinity: "X" }],
    [
      "affinity-timeout-bad",
      { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } },
    ],
    ["internal-local", { internalTrafficPolicy: "Local" }],
    ["internal-bad", { internalTrafficPolicy: "X" }],
    ["external-bad", { type: "NodePort", externalTrafficPolicy: "X" }],
    ["health-port-cluster", { type: "LoadBalancer", healthCheckNodePort: 30997 }],
    ["distribution", { trafficDistribution: "PreferClose" }],
    ["distribution-zone", { trafficDistribution: "PreferSameZone" }],
    ["distribution-node", { trafficDistribution: "PreferSameNode" }],
    ["distribution-bad", { trafficDistribution: "X" }],
    ["publish", { publishNotReadyAddresses: true }],
    ["external-ips", { externalIPs: ["1.2.3.4", "::1"] }],
    ["external-ips-bad", { externalIPs: ["x", "127.0.0.1", "1.2.3.4", "0.0.0.0"] }],
    ["families", { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" }],
    ["families-prefer", { ipFamilyPolicy: "PreferDualStack" }],
    ["families-require", { ipFamilyPolicy: "RequireDualStack" }],
    ["families-v6", { ipFamilies: ["IPv6"] }],
    ["families-twice", { ipFamilies: ["IPv4", "IPv4"] }],
    ["families-bad", { ipFamilies: ["X"], ipFamilyPolicy: "Y" }],
    ["families-two", { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" }],
    ["headless-dual", { clusterIP: "None", ipFamilyPolicy: "RequireDualStack" }],
    ["headless-dual-selector", { clusterIP: "None", ipFamilyPolicy: "PreferDualStack", selector: { a: "b" } }],
    ["ips-differ", { clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.8"] }],
    ["ips-alone", { clusterIPs: ["None"] }],
    ["ip-bad", { clusterIP: "x" }],
    ["ip-outside", { clusterIP: "1.2.3.4" }],
    [
      "ports",
      {
        ports: [
          port({ name: "a", targetPort: "web", appProtocol: "a.b/c" }),
          port({ name: "b", port: 81, protocol: "SCTP", targetPort: 8080 }),
        ],
      },
    ],
    ["ports-unnamed", { ports: [port(), port({ port: 81 })] }],
    ["ports-bad", { ports: [port({ name: "A", port: 0, targetPort: "B_", protocol: "X", appProtocol: "a b" })] }],
    ["ports-same", { ports: [port({ name: "a" }), port({ name: "b" })] }],
    ["selector-bad", { selector: { "a b": "c d" } }],
    ["type-bad", { type: "X" }],
  ],
  changes: [
    ["to-headless", {}, { clusterIP: "None" }],
    ["to-node-port", {}, { type: "NodePort" }],
    ["to-external-name", {}, { type: "ExternalName", externalName: "a.b" }],
    ["from-external-name", { type: "ExternalName", externalName: "a.b" }, {}],
    ["to-balancer", { type: "NodePort" }, { type: "LoadBalancer", loadBalancerClass: "a.b/c" }],
    [
      "class-changed",
      { type: "LoadBalancer", loadBalancerClass: "a.b/c" },
      { type: "LoadBalancer", loadBalancerClass: "a.b/d" },
    ],
    ["class-gone", { type: "LoadBalancer", loadBalancerClass: "a.b/c" }, { type: "ClusterIP" }],
    ["no-allocation", { type: "LoadBalancer" }, { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }],
    ["local", { type: "LoadBalancer" }, { type: "LoadBalancer", externalTrafficPolicy: "Local" }],
    ["ports", { type: "NodePort" }, { type: "NodePort", ports: [port({ port: 81 })] }],
    ["to-cluster", { type: "NodePort" }, { type: "ClusterIP" }],
    ["families", {}, { ipFamilyPolicy: "PreferDualStack" }],
    ["family-changed", {}, { ipFamilies: ["IPv6"] }],
    ["same", { selector: { a: "b" } }, { selector: { a: "b" } }],
  ],
};

const workload = (kind: string, resource: string, cases: Family["cases"], changes: Family["changes"] = []): Family => ({
  name: resource,
  apiVersion: "apps/v1",
  kind,
  collection: inNamespace("apps/v1", resource),
  make: ofSpec({ selector, template: template(), ...(kind === "StatefulSet" ? { serviceName: "s" } : {}) }),
  cases,
  changes: [
    ["template", {}, { template: template({ nodeName: "n" }) }],
    ["selector", {}, { selector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "Exists" }] } }],
    ["same", {}, {}],
    [
      "annotations-of-template",
      {},
      { template: { ...template(), metadata: { labels: { a: "b" }, annotations: { x: "y" } } } },
    ],
    ...changes,
  ],
});

const deployments = workload(
  "Deployment",
  "deployments",
  [
    ["plain", {}],
    ["recreate", { strategy: { type: "Recreate" } }],
    ["recreate-rolling", { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }],
    ["rolling", { strategy: { rollingUpdate: { maxSurge: "30%", maxUnavailable: 0 } } }],
    ["rolling-zero", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } }],
    ["rolling-bad", { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "x", maxUnavailable: "110%" } } }],
    ["strategy-bad", { strategy: { type: "X" } }],
    ["numbers", { replicas: 0, minReadySeconds: 5, revisionHistoryLimit: 0, progressDeadlineSeconds: 6, paused: true }],
    ["numbers-bad", { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: 0 }],
    ["deadline-short", { minReadySeconds: 600 }],
    ["restart-never", { template: template({ restartPolicy: "Never" }) }],
    ["deadline-of-pods", { template: template({ activeDeadlineSeconds: 5 }) }],
    ["ephemeral", { template: template({ ephemeralContainers: [{ name: "e", image: "i" }] }) }],
    ["no-selector", { selector: {} }],
    ["selector-bad", { selector: { matchLabels: { a: "c" } } }],
    [
      "host-network",
      { template: template({ hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] }) },
    ],
    [
      "bundle",
      {
        template: template({
          volumes: [{ name: "v", projected: { sources: [{ clusterTrustBundle: { name: "b", path: "p" } }] } }],
        }),
      },
    ],
    [
      "label-keys",
      {
        template: template({
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "k",
              whenUnsatisfiable: "DoNotSchedule",
              labelSelector: selector,
              matchLabelKeys: ["pod-template-hash"],
            },
          ],
        }),
      },
    ],
  ],
  [
    ["replicas", {}, { replicas: 5 }],
    ["pause", {}, { paused: true }],
    ["to-recreate", {}, { strategy: { type: "Recreate" } }],
  ],
);

const sets = workload(
  "StatefulSet",
  "statefulsets",
  [
    ["plain", {}],
    ["no-service", { serviceName: "" }],
    ["parallel", { podManagementPolicy: "Parallel" }],
    ["policy-bad", { podManagementPolicy: "X" }],
    ["on-delete", { updateStrategy: { type: "OnDelete" } }],
    ["on-delete-rolling", { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } }],
    ["partition", { updateStrategy: { rollingUpdate: { partition: 2 } } }],
    ["partition-bad", { updateStrategy: { rollingUpdate: { partition: -2 } } }],
    ["unavailable", { updateStrategy: { rollingUpdate: { maxUnavailable: "50%" } } }],
    ["strategy-bad", { updateStrategy: { type: "X" } }],
    ["ordinals", { ordinals: { start: 5 } }],
    ["ordinals-bad", { ordinals: { start: -5 } }],
    ["retention", { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } }],
    ["retention-bad", { persistentVolumeClaimRetentionPolicy: { whenScaled: "X" } }],
    [
      "claims",
      {
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
        template: template({ containers: [{ ...container, volumeMounts: [{ name: "d", mountPath: "/d" }] }] }),
      },
    ],
    ["claims-bad", { volumeClaimTemplates: [{ metadata: { name: "D_" }, spec: {} }] }],
    ["numbers", { replicas: 0, minReadySeconds: 5, revisionHistoryLimit: 0 }],
    ["restart-never", { template: template({ restartPolicy: "OnFailure" }) }],
  ],
  [
    ["service", {}, { serviceName: "t" }],
    ["retention", {}, { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } }],
    ["ordinals", {}, { ordinals: { start: 1 } }],
    ["history", {}, { revisionHistoryLimit: 3 }],
    ["management", {}, { podManagementPolicy: "Parallel" }],
  ],
);

const daemons = workload(
  "DaemonSet",
  "daemonsets",
  [
    ["plain", {}],
    ["on-delete", { updateStrategy: { type: "OnDelete" } }],
    ["surge", { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }],
    ["both", { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }],
    ["none", { updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }],
    ["bad", { updateStrategy: { type: "X", rollingUpdate: { maxUnavailable: "x" } } }],
    ["numbers", { minReadySeconds: 5, revisionHistoryLimit: 0 }],
    [
      "host-ports-surge",
      {
        updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: template({ containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 80 }] }] }),
      },
    ],
    ["deadline", { template: template({ activeDeadlineSeconds: 5 }) }],
  ],
  [["strategy", {}, { updateStrategy: { type: "OnDelete" } }]],
);

const rule = (more: Json): Json => ({ rules: [{ action: "FailJob", ...more }] });
const jobs: Family = {
  name: "jobs",
  apiVersion: "batch/v1",
  kind: "Job",
  collection: inNamespace("batch/v1", "jobs"),
  make: ofSpec({ template: jobTemplate() }),
  cases: [
    ["plain", {}],
    ["indexed", { completionMode: "Indexed", completions: 3 }],
    ["indexed-none", { completionMode: "Indexed" }],
    ["indexed-large", { completionMode: "Indexed", completions: 200000, parallelism: 20000 }],
    ["mode-bad", { completionMode: "X" }],
    [
      "numbers",
      {
        parallelism: 0,
        completions: 5,
        backoffLimit: 0,
        activeDeadlineSeconds: 5,
        ttlSecondsAfterFinished: 0,
        suspend: true,
      },
    ],
    [
      "numbers-bad",
      { parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 },
    ],
    ["parallel", { parallelism: 3 }],
    ["per-index", { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 2 }],
    ["per-index-none", { backoffLimitPerIndex: 1 }],
    ["failed-alone", { completionMode: "Indexed", completions: 3, maxFailedIndexes: 2 }],
    ["failed-many", { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 5 }],
    ["per-index-limit", { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1, backoffLimit: 5 }],
    [
      "per-index-large",
      { completionMode: "Indexed", completions: 200000, parallelism: 20000, backoffLimitPerIndex: 1 },
    ],
    [
      "success",
      {
        completionMode: "Indexed",
        completions: 5,
        successPolicy: { rules: [{ succeededIndexes: "0-2,4", succeededCount: 2 }, { succeededCount: 3 }] },
      },
    ],
    [
      "success-bad",
      {
        completionMode: "Indexed",
        completions: 5,
        successPolicy: {
          rules: [
            {},
            { succeededIndexes: "3-1" },
            { succeededIndexes: "0-9" },
            { succeededCount: 9 },
            { succeededIndexes: "0,1", succeededCount: 5 },
          ],
        },
      },
    ],
    ["success-empty", { completionMode: "Indexed", completions: 5, successPolicy: { rules: [] } }],
    ["success-not-indexed", { successPolicy: { rules: [{ succeededCount: 1 }] } }],
    ["failure", { podFailurePolicy: rule({ onExitCodes: { operator: "In", values: [1, 2] } }) }],
    [
      "failure-conditions",
      {
        podFailurePolicy: rule({
          action: "Ignore",
          onPodConditions: [{ type: "DisruptionTarget" }, { type: "X", status: "False" }],
        }),
      },
    ],
    [
      "failure-both",
      { podFailurePolicy: rule({ onExitCodes: { operator: "In", values: [1] }, onPodConditions: [{ type: "X" }] }) },
    ],
    [
      "failure-bad",
      {
        podFailurePolicy: rule({
          action: "X",
          onExitCodes: { operator: "Y", values: [0, 2, 1, 1], containerName: "zz" },
        }),
      },
    ],
    ["failure-none", { podFailurePolicy: rule({}) }],
    [
      "failure-index",
      { podFailurePolicy: rule({ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }) },
    ],
    [
      "failure-restart",
      {
        podFailurePolicy: rule({ onExitCodes: { operator: "In", values: [1] } }),
        template: jobTemplate({ restartPolicy: "OnFailure" }),
      },
    ],
    ["failure-zero", { podFailurePolicy: rule({ onExitCodes: { operator: "In", values: [0] } }) }],
    ["replacement", { podReplacementPolicy: "Failed" }],
    ["replacement-terminating", { podReplacementPolicy: "TerminatingOrFailed" }],
    [
      "replacement-failure",
      { podReplacementPolicy: "TerminatingOrFailed", podFailurePolicy: rule({ onPodConditions: [{ type: "X" }] }) },
    ],
    ["replacement-bad", { podReplacementPolicy: "X" }],
    ["managed", { managedBy: "a.b/c" }],
    ["managed-bad", { managedBy: "abc" }],
    ["managed-self", { managedBy: "kubernetes.io/job-controller" }],
    ["manual", { manualSelector: true, selector, template: jobTemplate() }],
    ["manual-none", { manualSelector: true }],
    ["selector-given", { selector }],
    ["restart-always", { template: jobTemplate({ restartPolicy: "Always" }) }],
    ["restart-default", { template: template() }],
    [
      "ordinals",
      { completionMode: "Indexed", completions: 2, template: jobTemplate({ hostname: "h", subdomain: "s" }) },
    ],
    ["gates", { suspend: true, template: jobTemplate({ schedulingGates: [{ name: "a" }] }) }],
  ],
  changes: [
    ["parallelism", {}, { parallelism: 5 }],
    ["completions", {}, { completions: 5 }],
    [
      "completions-indexed",
      { completionMode: "Indexed", completions: 3, parallelism: 3 },
      { completionMode: "Indexed", completions: 5, parallelism: 5 },
    ],
    ["backoff", {}, { backoffLimit: 1 }],
    ["ttl", {}, { ttlSecondsAfterFinished: 5 }],
    ["suspend", {}, { suspend: true }],
    ["resume", { suspend: true }, { suspend: false }],
    [
      "template-suspended",
      { suspend: true },
      {
        suspend: true,
        template: jobTemplate({ nodeSelector: { a: "b" }, tolerations: [{ key: "a", operator: "Exists" }] }),
      },
    ],
    [
      "resources-suspended",
      { suspend: true },
      {
        suspend: true,
        template: jobTemplate({ containers: [{ ...container, resources: { requests: { cpu: "1" } } }] }),
      },
    ],
    [
      "image-suspended",
      { suspend: true },
      { suspend: true, template: jobTemplate({ containers: [{ ...container, image: "j" }] }) },
    ],
    ["template", {}, { template: jobTemplate({ nodeSelector: { a: "b" } }) }],
    ["managed", {}, { managedBy: "a.b/c" }],
    ["mode", {}, { completionMode: "Indexed", completions: 1 }],
    [
      "failed-indexes",
      { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1 },
      { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 2, maxFailedIndexes: 1 },
    ],
    ["replacement", {}, { podReplacementPolicy: "Failed" }],
  ],
};

const cronJobs: Family = {
  name: "cronjobs",
  apiVersion: "batch/v1",
  kind: "CronJob",
  collection: inNamespace("batch/v1", "cronjobs"),
  make: ofSpec({ schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate() } } }),
  cases: [
    ["plain", {}],
    [
      "all",
      {
        timeZone: "Europe/Berlin",
        startingDeadlineSeconds: 5,
        concurrencyPolicy: "Replace",
        suspend: true,
        successfulJobsHistoryLimit: 0,
        failedJobsHistoryLimit: 0,
      },
    ],
    [
      "bad",
      {
        timeZone: "Nowhere/X",
        startingDeadlineSeconds: -1,
        concurrencyPolicy: "X",
        successfulJobsHistoryLimit: -1,
        failedJobsHistoryLimit: -1,
      },
    ],
    ["zone-empty", { timeZone: "" }],
    ["zone-local", { timeZone: "Local" }],
    ["zone-in-schedule", { schedule: "TZ=UTC * * * * *" }],
    ["hourly", { schedule: "@hourly" }],
    ["every", { schedule: "@every 5m" }],
    ["schedule-bad", { schedule: "x" }],
    ["selector", { jobTemplate: { spec: { selector, template: jobTemplate() } } }],
    ["manual", { jobTemplate: { spec: { manualSelector: true, selector, template: jobTemplate() } } }],
    ["restart", { jobTemplate: { spec: { template: template() } } }],
    [
      "job-fields",
      {
        jobTemplate: {
          metadata: { labels: { x: "y" } },
          spec: {
            parallelism: 2,
            completionMode: "Indexed",
            completions: 3,
            managedBy: "a.b/c",
            template: jobTemplate(),
          },
        },
      },
    ],
  ],
  changes: [
    ["schedule", {}, { schedule: "@daily" }],
    ["template", {}, { jobTemplate: { spec: { template: jobTemplate({ nodeName: "n" }) } } }],
    ["same", {}, {}],
  ],
};

const target = { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 5 };
const resource = (target_: Json, name = "cpu"): Json => ({ type: "Resource", resource: { name, target: target_ } });
const use = resource({ type: "Utilization", averageUtilization: 50 });
const metrics: Family["cases"] = [
  ["plain", {}],
  ["memory", { metrics: [resource({ type: "AverageValue", averageValue: "1Gi" }, "memory")] }],
  [
    "container",
    {
      metrics: [
        {
          type: "ContainerResource",
          containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 5 } },
        },
      ],
    },
  ],
  [
    "external",
    {
      metrics: [
        {
          type: "External",
          external: { metric: { name: "m", selector }, target: { type: "AverageValue", averageValue: "5" } },
        },
      ],
    },
  ],
  [
    "object",
    {
      metrics: [
        {
          type: "Object",
          object: {
            metric: { name: "m" },
            describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
            target: { type: "Value", value: "5" },
          },
        },
      ],
    },
  ],
  [
    "pods",
    {
      metrics: [{ type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } }],
    },
  ],
  ["up", { behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } }],
  [
    "down",
    {
      behavior: {
        scaleDown: { selectPolicy: "Min", policies: [{ type: "Pods", value: 1, periodSeconds: 5 }], tolerance: "0.1" },
      },
    },
  ],
  ["disabled", { behavior: { scaleDown: { selectPolicy: "Disabled" } } }],
  ["behavior-empty", { behavior: {} }],
  [
    "behavior-bad",
    { behavior: { scaleUp: { selectPolicy: "X", policies: [], stabilizationWindowSeconds: 3601, tolerance: "-1" } } },
  ],
  [
    "zero",
    {
      minReplicas: 0,
      metrics: [{ type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "5" } } }],
    },
  ],
  ["two", { metrics: [use, resource({ type: "Utilization", averageUtilization: 60 })] }],
];
const scalers: Family = {
  name: "autoscalers",
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  collection: inNamespace("autoscaling/v2", "horizontalpodautoscalers"),
  make: ofSpec(target),
  cases: metrics,
  changes: [
    ["behavior", {}, { behavior: { scaleUp: { stabilizationWindowSeconds: 5 } } }],
    ["min", {}, { minReplicas: 2 }],
  ],
};
const annotated = (annotations: Json, more: Json = {}): Json => ({
  metadata: {
    name: "f",
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        `autoscaling.alpha.kubernetes.io/${key}`,
        typeof value === "string" ? value : JSON.stringify(value),
      ]),
    ),
  },
  spec: { ...target, ...more },
});
const oldMetrics = [
  { type: "Resource", resource: { name: "memory", targetAverageValue: "1Gi" } },
  { type: "Pods", pods: { metricName: "p", targetAverageValue: "5", selector } },
  {
    type: "Object",
    object: { target: { kind: "S", name: "s" }, metricName: "m", targetValue: "5", averageValue: "3" },
  },
  { type: "External", external: { metricName: "e", metricSelector: selector, targetValue: "7" } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", targetAverageUtilization: 5 } },
];
const oldScalers: Family = {
  name: "autoscalers-v1",
  apiVersion: "autoscaling/v1",
  kind: "HorizontalPodAutoscaler",
  collection: inNamespace("autoscaling/v1", "horizontalpodautoscalers"),
  make: (more) => more,
  cases: [
    ["plain", annotated({})],
    ["cpu", annotated({}, { targetCPUUtilizationPercentage: 5 })],
    ["metrics", annotated({ metrics: oldMetrics })],
    ["metrics-cpu", annotated({ metrics: oldMetrics }, { targetCPUUtilizationPercentage: 5 })],
    [
      "behavior",
      annotated({
        behavior: {
          ScaleUp: { StabilizationWindowSeconds: 5, Policies: [{ Type: "Pods", Value: 1, PeriodSeconds: 5 }] },
          scaledown: null,
        },
      }),
    ],
    ["behavior-empty", annotated({ behavior: {} })],
    ["broken", annotated({ metrics: "{", behavior: "[]", conditions: "x", "current-metrics": "5" })],
    [
      "status",
      annotated({
        conditions: [{ type: "A", status: "True" }],
        "current-metrics": [{ type: "Resource", resource: { name: "cpu", currentAverageValue: "5" } }],
      }),
    ],
    ["metrics-bad", annotated({ metrics: [{ type: "X" }, { type: "Pods", pods: { metricName: "" } }] })],
  ],
};

const families: readonly Family[] = [
  services,
  deployments,
  sets,
  daemons,
  jobs,
  cronJobs,
  scalers,
  oldScalers,
  {
    name: "budgets",
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    collection: inNamespace("policy/v1", "poddisruptionbudgets"),
    make: ofSpec({ selector }),
    cases: [
      ["none", {}],
      ["min", { minAvailable: 1 }],
      ["percent", { maxUnavailable: "50%" }],
      ["both", { minAvailable: 1, maxUnavailable: 1 }],
      ["policy", { minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" }],
      ["bad", { minAvailable: "150%", unhealthyPodEvictionPolicy: "X", selector: { matchLabels: { "a b": "c" } } }],
      ["empty-selector", { selector: {}, minAvailable: 0 }],
      ["no-selector", { selector: null, minAvailable: 0 }],
    ],
    changes: [
      ["min", { minAvailable: 1 }, { minAvailable: 2 }],
      ["selector", {}, { selector: {} }],
    ],
  },
  {
    name: "ingresses",
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    collection: inNamespace("networking.k8s.io/v1", "ingresses"),
    make: ofSpec({}),
    cases: [
      ["empty", {}],
      ["default", { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ingressClassName: "c" }],
      ["resource", { defaultBackend: { resource: { apiGroup: "x.y", kind: "K", name: "n" } } }],
      [
        "rules",
        {
          rules: [
            {
              host: "*.a.b",
              http: {
                paths: [
                  { path: "/x", pathType: "Prefix", backend: { service: { name: "s", port: { name: "web" } } } },
                  { pathType: "ImplementationSpecific", backend: { service: { name: "s", port: { number: 1 } } } },
                ],
              },
            },
            { host: "c.d" },
          ],
          tls: [{ hosts: ["*.a.b"], secretName: "t" }, {}],
        },
      ],
      [
        "bad",
        {
          rules: [
            {
              host: "A_",
              http: {
                paths: [
                  { path: "x", pathType: "Exact", backend: {} },
                  { path: "/a//b/../c%2f", pathType: "Prefix", backend: { service: { name: "", port: {} } } },
                  {
                    path: "/",
                    pathType: "X",
                    backend: {
                      service: { name: "s", port: { name: "A_", number: 5 } },
                      resource: { kind: "K", name: "n" },
                    },
                  },
                ],
              },
            },
            { host: "1.2.3.4", http: { paths: [] } },
          ],
          tls: [{ hosts: ["A_"], secretName: "B_" }],
          ingressClassName: "C_",
        },
      ],
    ],
    changes: [
      [
        "class",
        { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
        { defaultBackend: { service: { name: "s", port: { number: 80 } } }, ingressClassName: "c" },
      ],
    ],
  },
  {
    name: "policies",
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    collection: inNamespace("networking.k8s.io/v1", "networkpolicies"),
    make: ofSpec({ podSelector: {} }),
    cases: [
      ["plain", {}],
      ["egress", { egress: [{}] }],
      ["empty-lists", { ingress: [], egress: [], policyTypes: [] }],
      ["types", { policyTypes: ["Egress"] }],
      [
        "peers",
        {
          ingress: [
            {
              from: [
                { podSelector: {}, namespaceSelector: selector },
                { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
              ],
              ports: [{ port: 80 }, { port: "web", protocol: "UDP" }, { port: 80, endPort: 90 }],
            },
          ],
        },
      ],
      [
        "bad",
        {
          policyTypes: ["X", "Ingress", "Egress"],
          ingress: [
            {
              from: [
                {},
                { podSelector: {}, ipBlock: { cidr: "x" } },
                { ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/16", "10.0.0.0/8"] } },
              ],
              ports: [
                { port: 0, protocol: "X" },
                { endPort: 5 },
                { port: "web", endPort: 5 },
                { port: 90, endPort: 80 },
              ],
            },
          ],
        },
      ],
    ],
    changes: [
      ["types", {}, { policyTypes: ["Egress"] }],
      ["same", {}, {}],
    ],
  },
  {
    name: "claims",
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    collection: inNamespace("v1", "persistentvolumeclaims"),
    make: ofSpec({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }),
    cases: [
      ["plain", {}],
      [
        "all",
        {
          storageClassName: "",
          volumeMode: "Block",
          volumeName: "v",
          selector,
          volumeAttributesClassName: "a",
          dataSource: { kind: "PersistentVolumeClaim", name: "p" },
        },
      ],
      ["source-other", { dataSource: { apiGroup: "x.y", kind: "K", name: "n" } }],
      ["source-ref", { dataSourceRef: { apiGroup: "x.y", kind: "K", name: "n" } }],
      [
        "source-namespace",
        { dataSourceRef: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "n", namespace: "o" } },
      ],
      [
        "source-both",
        {
          dataSource: { kind: "PersistentVolumeClaim", name: "p" },
          dataSourceRef: { kind: "PersistentVolumeClaim", name: "q" },
        },
      ],
      ["source-core", { dataSourceRef: { kind: "Pod", name: "n" } }],
      ["modes", { accessModes: ["ReadWriteOncePod"] }],
      ["modes-two", { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] }],
      [
        "bad",
        {
          accessModes: ["X"],
          volumeMode: "Y",
          storageClassName: "Z_",
          resources: { requests: { storage: "-1" } },
          volumeAttributesClassName: "",
        },
      ],
      ["no-storage", { resources: {} }],
      ["limits", { resources: { requests: { storage: "2Gi" }, limits: { storage: "1Gi" } } }],
    ],
    changes: [
      ["grow", {}, { resources: { requests: { storage: "2Gi" } } }],
      ["volume", {}, { volumeName: "v" }],
      ["class", {}, { storageClassName: "x" }],
      ["attributes", {}, { volumeAttributesClassName: "a" }],
      ["same", {}, {}],
    ],
  },
  {
    name: "secrets",
    apiVersion: "v1",
    kind: "Secret",
    collection: inNamespace("v1", "secrets"),
    make: bare,
    cases: [
      ["plain", {}],
      ["strings", { data: { a: "YQ==" }, stringData: { a: "b", c: "d" } }],
      ["immutable", { immutable: true }],
      ["empty-data", { data: {}, stringData: {} }],
      ["tls", { type: "kubernetes.io/tls", data: { "tls.crt": "", "tls.key": "" } }],
      ["tls-bad", { type: "kubernetes.io/tls" }],
      ["docker", { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{}" } }],
      ["docker-bad", { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "x" } }],
      ["docker-old", { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "{}" } }],
      ["basic", { type: "kubernetes.io/basic-auth", stringData: { username: "u" } }],
      ["basic-bad", { type: "kubernetes.io/basic-auth" }],
      ["ssh", { type: "kubernetes.io/ssh-auth", stringData: { "ssh-privatekey": "k" } }],
      ["ssh-bad", { type: "kubernetes.io/ssh-auth" }],
      ["token", { type: "kubernetes.io/service-account-token" }],
      [
        "token-account",
        {
          metadata: { name: "f", annotations: { "kubernetes.io/service-account.name": "default" } },
          type: "kubernetes.io/service-account-token",
        },
      ],
      ["keys-bad", { stringData: { "a b": "", "..": "", "..a": "" } }],
      ["other", { type: "my/type" }],
    ],
    changes: [
      ["type", {}, { type: "x" }],
      ["immutable", {}, { immutable: true }],
      ["from-immutable", { immutable: true }, {}],
      ["data-immutable", { immutable: true }, { immutable: true, stringData: { a: "b" } }],
    ],
  },
  {
    name: "maps",
    apiVersion: "v1",
    kind: "ConfigMap",
    collection: inNamespace("v1", "configmaps"),
    make: bare,
    cases: [
      ["plain", {}],
      ["both", { data: { a: "b" }, binaryData: { c: "YQ==" } }],
      ["same", { data: { a: "b" }, binaryData: { a: "YQ==" } }],
      ["empty", { data: {}, binaryData: {} }],
      ["immutable", { immutable: false }],
    ],
    changes: [
      ["immutable", {}, { immutable: true }],
      ["data-immutable", { immutable: true }, { immutable: true, data: { a: "b" } }],
      ["from-immutable", { immutable: true }, { immutable: false }],
    ],
  },
  {
    name: "slices",
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    collection: inNamespace("discovery.k8s.io/v1", "endpointslices"),
    make: (more) => ({ metadata: { name: "f" }, addressType: "IPv4", endpoints: [], ...more }),
    cases: [
      ["plain", {}],
      ["ports", { ports: [{}, { name: "a", port: 5, appProtocol: "a.b/c" }] }],
      [
        "endpoints",
        {
          endpoints: [
            {
              addresses: ["1.2.3.4"],
              conditions: {},
              hostname: "h",
              nodeName: "n",
              zone: "z",
              hints: { forZones: [{ name: "z" }], forNodes: [{ name: "n" }] },
              deprecatedTopology: { "kubernetes.io/hostname": "x" },
              targetRef: { kind: "Pod", name: "p" },
            },
          ],
        },
      ],
      ["names", { addressType: "FQDN", endpoints: [{ addresses: ["a.b"] }] }],
      [
        "bad",
        {
          addressType: "IPv6",
          endpoints: [{ addresses: [] }, { addresses: ["1.2.3.4"], hostname: "A_", nodeName: "B_", zone: "c c" }],
          ports: [{ name: "A_", protocol: "X", appProtocol: "a b" }, { name: "A_" }],
        },
      ],
    ],
    changes: [
      ["type", {}, { addressType: "IPv6" }],
      ["endpoints", {}, { endpoints: [{ addresses: ["1.2.3.4"] }] }],
      ["labels", {}, { metadata: { name: "f", labels: { a: "b" } } }],
      ["annotations", {}, { metadata: { name: "f", annotations: { a: "b" } } }],
      ["topology", {}, { endpoints: [{ addresses: ["1.2.3.4"], deprecatedTopology: { a: "b" } }] }],
    ],
  },
  {
    name: "leases",
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    collection: inNamespace("coordination.k8s.io/v1", "leases"),
    make: ofSpec({}),
    cases: [
      ["plain", {}],
      [
        "all",
        {
          holderIdentity: "h",
          leaseDurationSeconds: 5,
          acquireTime: "2001-01-01T00:00:00.123456Z",
          renewTime: "2001-01-01T00:00:00.000000Z",
          leaseTransitions: 1,
        },
      ],
      ["election", { strategy: "OldestEmulationVersion", preferredHolder: "p" }],
      ["bad", { leaseDurationSeconds: 0, leaseTransitions: -1, holderIdentity: "" }],
    ],
  },
];

const kindOf = ({ apiVersion, kind, make }: Family, more: Json): Json => ({ apiVersion, kind, ...make(more) });
const path = ({ collection }: Family): string => `${collection}/f`;

function probesOf(family: Family): readonly Probe[] {
  const create = (more: Json, query = "?dryRun=All"): Step =>
    post(`${family.collection}${query}`, kindOf(family, more));
  const gone = [
    quiet(patch(path(family), "merge", { metadata: { finalizers: null } })),
    quiet(remove(`${path(family)}?propagationPolicy=Background`)),
  ];
  return [
    ...family.cases.map(([name, more]) => one(`${family.name}/new ${name}`, create(more))),
    ...(family.changes ?? []).map(([name, from, to]) =>
      one(
        `${family.name}/change ${name}`,
        create(from, ""),
        put(`${path(family)}?dryRun=All`, kindOf(family, to)),
        patch(`${path(family)}?dryRun=All`, "merge", kindOf(family, to)),
        patch(`${path(family)}?fieldManager=a&force=true&dryRun=All`, "apply", kindOf(family, to)),
        ...gone,
      ),
    ),
  ];
}

/** Optional fields of many kinds, in new and in changed objects. */
export const kindFields: Topic = { name: "kind-fields", setup: [], probes: families.flatMap(probesOf) };
