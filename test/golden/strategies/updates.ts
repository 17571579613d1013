/** Object with a merge patch for it. */
export interface Update {
  readonly name: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly patch: Record<string, unknown>;
  /** Subresource to patch. */
  readonly subresource?: string;
}

const ns = "/namespaces/changes";
const container = { name: "c", image: "a:1" };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };
const jobTemplate = { spec: { restartPolicy: "Never", containers: [container] } };
const selector = { matchLabels: { app: "a" } };
let count = 0;

function update(base: string, resource: string, name: string, body: Record<string, unknown>, patch: Record<string, unknown>, subresource?: string): Update {
  count += 1;
  const namespaced = !["nodes", "persistentvolumes", "priorityclasses", "storageclasses", "clusterroles", "namespaces", "flowschemas", "csidrivers"].includes(resource);
  return {
    name: `${resource}: ${name}`, path: `${base}${namespaced ? ns : ""}/${resource}`, body: { metadata: { name: `update-${String(count)}` }, ...body }, patch, ...(subresource === undefined ? {} : { subresource }),
  };
}

const core = (resource: string, name: string, body: Record<string, unknown>, patch: Record<string, unknown>, subresource?: string): Update => update("/api/v1", resource, name, body, patch, subresource);
const group = (apiVersion: string, resource: string, name: string, body: Record<string, unknown>, patch: Record<string, unknown>, subresource?: string): Update =>
  update(`/apis/${apiVersion}`, resource, name, body, patch, subresource);
const deployment = (name: string, patch: Record<string, unknown>, subresource?: string): Update => group("apps/v1", "deployments", name, { spec: { selector, template } }, patch, subresource);
const pod = (name: string, patch: Record<string, unknown>, subresource?: string): Update => core("pods", name, { spec: { containers: [container], terminationGracePeriodSeconds: 5 } }, patch, subresource);
const claim = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } } };

/** Changes that a server makes or rejects, each for the reason in its name. */
export const updates: readonly Update[] = [
  pod("image", { spec: { containers: [{ name: "c", image: "b:2" }] } }),
  pod("one more container", { spec: { containers: [container, { name: "d", image: "d" }] } }),
  pod("deadline", { spec: { activeDeadlineSeconds: 5 } }),
  pod("toleration", { spec: { tolerations: [{ key: "x", operator: "Exists" }] } }),
  pod("labels", { metadata: { labels: { a: "b" }, annotations: { c: "d" } } }),
  pod("status", { status: { phase: "Running", podIP: "10.1.1.1", conditions: [{ type: "Ready", status: "True" }] } }, "status"),
  pod("status is not the spec's", { spec: { activeDeadlineSeconds: 3 }, status: { phase: "Failed" } }, "status"),
  deployment("replicas", { spec: { replicas: 5 } }),
  deployment("selector", { spec: { selector: { matchLabels: { app: "b" } } } }),
  deployment("annotation", { metadata: { annotations: { a: "b" } } }),
  deployment("label", { metadata: { labels: { a: "b" } } }),
  deployment("strategy", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }),
  deployment("status ignored", { status: { replicas: 5 } }),
  deployment("status", { status: { replicas: 5, readyReplicas: 6 } }, "status"),
  deployment("template", { spec: { template: { spec: { containers: [{ name: "c", image: "b" }] } } } }),
  group("apps/v1", "statefulsets", "service name", { spec: { selector, template, serviceName: "a" } }, { spec: { serviceName: "b" } }),
  group("apps/v1", "statefulsets", "replicas and template", { spec: { selector, template } }, { spec: { replicas: 3, template: { metadata: { annotations: { a: "b" } } } } }),
  group("apps/v1", "daemonsets", "selector", { spec: { selector, template } }, { spec: { selector: { matchLabels: { app: "b" } } } }),
  group("apps/v1", "daemonsets", "template", { spec: { selector, template } }, { spec: { template: { metadata: { annotations: { a: "b" } } } } }),
  group("apps/v1", "replicasets", "selector", { spec: { selector, template } }, { spec: { selector: { matchLabels: { app: "b" } } } }),
  group("batch/v1", "jobs", "parallelism", { spec: { template: jobTemplate } }, { spec: { parallelism: 2, backoffLimit: 1 } }),
  group("batch/v1", "jobs", "completions", { spec: { template: jobTemplate } }, { spec: { completions: 2 } }),
  group("batch/v1", "jobs", "suspend", { spec: { suspend: true, template: jobTemplate } }, { spec: { suspend: false } }),
  group("batch/v1", "cronjobs", "schedule", { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: jobTemplate } } } }, { spec: { schedule: "0 1 * * *", suspend: true } }),
  core("configmaps", "immutable", { immutable: true, data: { a: "b" } }, { data: { a: "c" } }),
  core("configmaps", "no longer immutable", { immutable: true, data: { a: "b" } }, { immutable: false }),
  core("configmaps", "labels of an immutable one", { immutable: true }, { metadata: { labels: { a: "b" } } }),
  core("secrets", "type", { type: "Opaque" }, { type: "kubernetes.io/tls" }),
  core("secrets", "string data", { data: { a: "aGk=" } }, { stringData: { b: "hi" } }),
  core("persistentvolumeclaims", "smaller", claim, { spec: { resources: { requests: { storage: "1Gi" } } } }),
  core("persistentvolumeclaims", "volume name", claim, { spec: { volumeName: "pv" } }),
  core("services", "type", { spec: { ports: [{ port: 80 }] } }, { spec: { type: "NodePort" } }),
  core("services", "to external name", { spec: { ports: [{ port: 80 }] } }, { spec: { type: "ExternalName", externalName: "a.example.com" } }),
  core("services", "address", { spec: { ports: [{ port: 80 }] } }, { spec: { clusterIP: "10.0.0.201" } }),
  core("services", "no address", { spec: { ports: [{ port: 80 }] } }, { spec: { clusterIP: null, clusterIPs: null } }),
  core("nodes", "taint", { spec: { podCIDR: "10.1.0.0/24" } }, { spec: { unschedulable: true, taints: [{ key: "a", effect: "NoExecute" }] } }),
  core("nodes", "address range", { spec: { podCIDR: "10.1.0.0/24" } }, { spec: { podCIDR: "10.2.0.0/24" } }),
  core("nodes", "provider", { spec: { providerID: "a" } }, { spec: { providerID: "b" } }),
  core("namespaces", "finalizers", {}, { spec: { finalizers: ["example.com/a"] } }),
  core("namespaces", "name label", {}, { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } }),
  core("resourcequotas", "hard", { spec: { hard: { pods: "1" } } }, { spec: { hard: { pods: "2000m" } } }),
  core("limitranges", "limits", { spec: { limits: [{ type: "Pod", max: { cpu: "1" } }] } }, { spec: { limits: [{ type: "Container", max: { cpu: "2" } }] } }),
  group("rbac.authorization.k8s.io/v1", "rolebindings", "reference", { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" } }, { roleRef: { name: "edit" } }),
  group("rbac.authorization.k8s.io/v1", "roles", "rules", { rules: [] }, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }),
  group("scheduling.k8s.io/v1", "priorityclasses", "value", { value: 1 }, { value: 2 }),
  group("storage.k8s.io/v1", "storageclasses", "provisioner", { provisioner: "a.example.com/p" }, { provisioner: "b.example.com/p", reclaimPolicy: "Retain" }),
  group("policy/v1", "poddisruptionbudgets", "minimum", { spec: { minAvailable: 1, selector } }, { spec: { minAvailable: "50%" } }),
  group("networking.k8s.io/v1", "ingresses", "class", { spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } } }, { spec: { ingressClassName: "c" } }),
  group("networking.k8s.io/v1", "networkpolicies", "types", { spec: { podSelector: {} } }, { spec: { policyTypes: ["Ingress", "Egress"] } }),
  group("autoscaling/v2", "horizontalpodautoscalers", "behavior", { spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } }, { spec: { behavior: { scaleUp: { selectPolicy: "Min" } } } }),
  group("autoscaling/v2", "horizontalpodautoscalers", "status", { spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } }, { status: { desiredReplicas: 2 } }, "status"),
  group("coordination.k8s.io/v1", "leases", "holder", { spec: { holderIdentity: "a" } }, { spec: { holderIdentity: "b", leaseTransitions: 1 } }),
  group("discovery.k8s.io/v1", "endpointslices", "address type", { addressType: "IPv4", endpoints: [] }, { addressType: "IPv6" }),
  group("discovery.k8s.io/v1", "endpointslices", "endpoints", { addressType: "IPv4", endpoints: [] }, { endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready: true } }] }),
];
