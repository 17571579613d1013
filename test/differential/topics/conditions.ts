import type { Probe, Step, Topic } from "../probe.js";

type Json = Record<string, unknown>;

const services = "/api/v1/namespaces/${ns}/services";
const slices = "/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices";
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const claims = "/api/v1/namespaces/${ns}/persistentvolumeclaims";
const deviceClaims = "/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaims";
const priorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
const drivers = "/apis/storage.k8s.io/v1/csidrivers";
const rules = "/apis/resource.k8s.io/v1beta2/devicetaintrules";

const post = (path: string, json: Json): Step => ({ method: "POST", path, json });
const merge = (path: string, json: Json, more: Partial<Step> = {}): Step => ({
  method: "PATCH",
  path,
  headers: { "content-type": "application/merge-patch+json" },
  raw: JSON.stringify(json),
  ...more,
});
const gone = (path: string): Step => ({ method: "DELETE", path, silent: true });
const soon = (path: string, more: Partial<Step> = {}): Step => ({ method: "GET", path, pauseMs: 1200, ...more });
const ignored = { ignore: ["/metadata/managedFields"] };

const apiService = {
  spec: {
    group: "${ns}.example",
    version: "v1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { namespace: "${ns}", name: "api" },
    insecureSkipTLSVerify: true,
  },
};
const apiServiceName = "v1.${ns}.example";
const conditionOnly = { ignore: ["/metadata/managedFields", "/metadata/creationTimestamp"] };
const claimStatus = (status: Json): Step => merge(`${claims}/c/status`, { status });
const admin = {
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "class.example", adminAccess: true } }] } },
};

const probes: readonly Probe[] = [
  {
    id: "ip-address",
    steps: [
      {
        method: "POST",
        path: services,
        json: { metadata: { name: "with-address" }, spec: { ports: [{ port: 80 }] } },
        capture: { address: "/spec/clusterIP" },
        silent: true,
      },
      soon("/apis/networking.k8s.io/v1/ipaddresses/${address}", { ignore: ["/metadata/name"] }),
      gone(`${services}/with-address`),
      soon("/apis/networking.k8s.io/v1/ipaddresses/${address}", { ignore: ["/details/name"] }),
      soon("/apis/networking.k8s.io/v1/ipaddresses/10.0.0.1"),
    ],
  },
  {
    id: "api-service",
    steps: [
      post(apiServices, { ...apiService, metadata: { name: apiServiceName } }),
      soon(`${apiServices}/${apiServiceName}`),
      post(services, {
        metadata: { name: "api" },
        spec: {
          ports: [{ port: 80 }, { port: 81, name: "b" }].map((port, index) => ({ name: `p${String(index)}`, ...port })),
        },
      }),
      soon(`${apiServices}/${apiServiceName}`, conditionOnly),
      merge(`${services}/api`, { spec: { ports: [{ port: 443, name: "tls" }] } }, { silent: true }),
      soon(`${apiServices}/${apiServiceName}`, conditionOnly),
      post(slices, {
        metadata: { name: "api-1", labels: { "kubernetes.io/service-name": "api" } },
        addressType: "IPv4",
        endpoints: [{ addresses: ["1.2.3.4"] }],
        ports: [{ name: "other", port: 443 }],
      }),
      soon(`${apiServices}/${apiServiceName}`, conditionOnly),
      gone(`${apiServices}/${apiServiceName}`),
      gone(`${services}/api`),
      gone(`${slices}/api-1`),
    ],
  },
  {
    id: "api-service-local",
    steps: [
      post(apiServices, {
        metadata: { name: apiServiceName },
        spec: { group: "${ns}.example", version: "v1", groupPriorityMinimum: 100, versionPriority: 100 },
      }),
      soon(`${apiServices}/${apiServiceName}`),
      gone(`${apiServices}/${apiServiceName}`),
    ],
  },
  {
    id: "claim-status",
    steps: [
      post(claims, {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      claimStatus({ capacity: { storage: "-1" } }),
      claimStatus({ allocatedResourceStatuses: { storage: "Odd" } }),
      claimStatus({
        allocatedResourceStatuses: {
          cpu: "NodeResizePending",
          "a b": "NodeResizePending",
          "x.example/y": "NodeResizePending",
        },
      }),
      claimStatus({ allocatedResources: { storage: "-1", cpu: "1", "x.example/y": "1" } }),
      claimStatus({ allocatedResources: { storage: "500m" } }),
      claimStatus({
        allocatedResources: { storage: "2Gi" },
        allocatedResourceStatuses: { storage: "NodeResizePending" },
        capacity: { storage: "1Gi" },
        phase: "Bound",
      }),
      merge(`${claims}/c`, { spec: { resources: { requests: { storage: "500Mi" } } } }),
      merge(`${claims}/c`, { spec: { resources: { requests: { storage: "3Gi" } } } }),
      merge(`${claims}/c`, { metadata: { finalizers: null } }),
      gone(`${claims}/c`),
      post(claims, {
        metadata: { name: "unbound" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "${ns}",
          resources: { requests: { storage: "1Gi" } },
        },
      }),
      merge(`${claims}/unbound`, { spec: { resources: { requests: { storage: "3Gi" } } } }),
      post("/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "${ns}" },
        provisioner: "x.example/y",
        allowVolumeExpansion: true,
      }),
      merge(`${claims}/unbound/status`, { status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
      merge(`${claims}/unbound`, { spec: { resources: { requests: { storage: "3Gi" } } } }),
      merge(`${claims}/unbound`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
      merge(`${claims}/unbound`, { spec: { resources: { requests: { storage: "1Gi" } } } }),
    ],
  },
  {
    id: "admin-access",
    steps: [
      post(deviceClaims, { ...admin, metadata: { name: "a" } }),
      post(`/apis/resource.k8s.io/v1/namespaces/\${ns}/resourceclaimtemplates`, {
        metadata: { name: "a" },
        spec: admin,
      }),
      merge(
        "/api/v1/namespaces/${ns}",
        { metadata: { labels: { "resource.kubernetes.io/admin-access": "true" } } },
        { silent: true },
      ),
      post(deviceClaims, { ...admin, metadata: { name: "a" } }),
    ],
  },
  {
    id: "priority-class",
    steps: [
      post(priorities, { metadata: { name: "${ns}" }, value: 5 }),
      merge(`${priorities}/\${ns}`, { description: "d" }),
      merge(`${priorities}/\${ns}`, { value: 6 }),
      gone(`${priorities}/\${ns}`),
    ],
  },
  {
    id: "csi-driver",
    steps: [
      post(drivers, { metadata: { name: "${ns}" }, spec: {} }),
      merge(`${drivers}/\${ns}`, { spec: { requiresRepublish: true } }),
      merge(`${drivers}/\${ns}`, { metadata: { labels: { a: "b" } } }),
      merge(`${drivers}/\${ns}`, { spec: { requiresRepublish: false } }),
      gone(`${drivers}/\${ns}`),
    ],
  },
  {
    id: "endpoint-slice",
    steps: [
      post(slices, { metadata: { name: "s" }, addressType: "IPv4", endpoints: [] }),
      merge(`${slices}/s`, { metadata: { annotations: { a: "b" } } }),
      merge(`${slices}/s`, { metadata: { labels: { a: "b" } } }),
      merge(`${slices}/s`, { endpoints: [] }),
      merge(`${slices}/s`, { endpoints: [{ addresses: ["1.2.3.4"] }] }),
      gone(`${slices}/s`),
    ],
  },
  {
    id: "taint-rule",
    steps: [
      post(rules, {
        metadata: { name: "${ns}" },
        spec: { taint: { key: "k", effect: "NoSchedule", timeAdded: "2020-01-01T00:00:00Z" } },
      }),
      merge(`${rules}/\${ns}`, { spec: { taint: { effect: "NoExecute" } } }),
      merge(`${rules}/\${ns}`, { spec: { taint: { effect: "NoSchedule", timeAdded: null } } }),
      gone(`${rules}/\${ns}`),
    ],
  },
  {
    id: "limit-range-without-name",
    steps: [{ ...post("/api/v1/namespaces/${ns}/limitranges", { spec: { limits: [] } }), ignore: ["/metadata/name"] }],
  },
  {
    id: "event-without-name",
    steps: [
      post("/api/v1/namespaces/${ns}/events", { involvedObject: { namespace: "${ns}" } }),
      post("/api/v1/namespaces/${ns}/events", { involvedObject: {} }),
    ],
  },
];

/** The order of an APIService's managers depends on the clock. */
function ignoredFor({ path }: Step): Partial<Step> {
  return path.startsWith(apiServices) ? ignored : {};
}

/** State that a server maintains itself, and state that only it or a controller writes. */
export const conditions: Topic = {
  name: "conditions",
  probes: probes.map(
    (probe): Probe => ({
      ...probe,
      steps: probe.steps.map((step) =>
        step.silent === true || step.ignore !== undefined ? step : { ...step, ...ignoredFor(step) },
      ),
    }),
  ),
};
