// Pods of a realistic cluster: each workload has 125 of them, which differ in a name, a node, addresses, times and
// containers' IDs, as the pods of a ReplicaSet do. The same index always gives the same pod.

/** Pods of one workload: 50,000 pods belong to 400 workloads. */
export const podsPerWorkload = 125;

const letters = "bcdfghjklmnpqrstvwxz2456789";

/** Returns a text that looks random and depends only on the seed. */
function randomText(seed, length, alphabet = letters) {
  let state = (seed * 2654435761 + length) >>> 0;
  let text = "";
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + i + 1) >>> 0;
    state = Math.imul(state ^ (state >>> 12), 0x297a2d39) >>> 0;
    text += alphabet[state % alphabet.length];
  }
  return text;
}

const hex = (seed, length) => randomText(seed, length, "0123456789abcdef");
const uid = (seed) =>
  `${hex(seed, 8)}-${hex(seed + 1, 4)}-4${hex(seed + 2, 3)}-a${hex(seed + 3, 3)}-${hex(seed + 4, 12)}`;
const time = (seconds) => new Date(Date.UTC(2026, 5, 1) + seconds * 1000).toISOString().replace(".000Z", "Z");

/** Returns the name of the workload of a pod, in the order of its number. */
const workloadName = (w) =>
  `${["shop", "search", "billing", "media", "ads"][w % 5]}-${["api", "worker", "cache", "web"][w % 4]}-${String(w).padStart(5, "0")}`;

function containerOf(w, name, tokenVolume) {
  return {
    name,
    image: `registry.example/${workloadName(w)}/${name}:v1.${w % 30}.${w % 7}`,
    args: ["--listen=:8080", `--name=${workloadName(w)}`, "--log-format=json", "--shutdown-delay=10s"],
    ports: [
      { name: "http", containerPort: 8080, protocol: "TCP" },
      { name: "metrics", containerPort: 9090, protocol: "TCP" },
    ],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "POD_IP", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "status.podIP" } } },
      ...Array.from({ length: 8 }, (_, i) => ({ name: `SETTING_${i}`, value: `value-${i}-of-workload-${w}` })),
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: `${workloadName(w)}-db`, key: "password" } } },
    ],
    resources: {
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: `${100 + (w % 9) * 50}m`, memory: `${128 + (w % 5) * 64}Mi` },
    },
    volumeMounts: [
      { name: "config", mountPath: "/etc/config", readOnly: true },
      { name: "tmp", mountPath: "/tmp" },
      { name: tokenVolume, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
    ],
    livenessProbe: {
      httpGet: { path: "/healthz", port: "http", scheme: "HTTP" },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    },
    readinessProbe: {
      httpGet: { path: "/readyz", port: "http", scheme: "HTTP" },
      timeoutSeconds: 1,
      periodSeconds: 5,
      successThreshold: 1,
      failureThreshold: 3,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  };
}

function specOf(i, w) {
  const tokenVolume = `kube-api-access-${randomText(i * 7 + 3, 5)}`;
  return {
    volumes: [
      { name: "config", configMap: { name: `${workloadName(w)}-config`, defaultMode: 420 } },
      { name: "tmp", emptyDir: {} },
      {
        name: tokenVolume,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [containerOf(w, "main", tokenVolume), containerOf(w, "sidecar", tokenVolume)],
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    serviceAccountName: workloadName(w),
    serviceAccount: workloadName(w),
    nodeName: nodeOf(i),
    securityContext: { runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              labelSelector: { matchLabels: { app: workloadName(w) } },
              topologyKey: "kubernetes.io/hostname",
            },
          },
        ],
      },
    },
    schedulerName: "default-scheduler",
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
  };
}

const nodeNumber = (i) => (i * 7919) % 1000;
const nodeOf = (i) => `ip-10-${Math.floor(nodeNumber(i) / 250)}-${nodeNumber(i) % 250}-17.eu-west-1.compute.internal`;

function containerStatusOf(i, w, name, started) {
  return {
    name,
    state: { running: { startedAt: started } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image: `registry.example/${workloadName(w)}/${name}:v1.${w % 30}.${w % 7}`,
    imageID: `registry.example/${workloadName(w)}/${name}@sha256:${hex(w * 2 + name.length, 64)}`,
    containerID: `containerd://${hex(i * 3 + name.length, 64)}`,
    started: true,
  };
}

function statusOf(i, w, born, podIP, hostIP) {
  const started = time(born + 3 + (i % 4));
  const condition = (type, at) => ({ type, status: "True", lastProbeTime: null, lastTransitionTime: at });
  return {
    phase: "Running",
    conditions: [
      condition("PodReadyToStartContainers", time(born + 4 + (i % 4))),
      condition("Initialized", time(born)),
      condition("Ready", time(born + 9 + (i % 7))),
      condition("ContainersReady", time(born + 9 + (i % 7))),
      condition("PodScheduled", time(born)),
    ],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: time(born),
    containerStatuses: [containerStatusOf(i, w, "main", started), containerStatusOf(i, w, "sidecar", started)],
    qosClass: "Burstable",
  };
}

const set = (...keys) => Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));

function managedFieldsOf(w, born, podIP, ready) {
  const container = {
    ".": {},
    ...set("args", "image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy"),
    "f:env": {
      ".": {},
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, i) => [`k:{"name":"SETTING_${i}"}`, { ".": {}, ...set("name", "value") }]),
      ),
    },
    "f:ports": {
      ".": {},
      'k:{"containerPort":8080,"protocol":"TCP"}': { ".": {}, ...set("containerPort", "name", "protocol") },
    },
    "f:livenessProbe": {
      ".": {},
      ...set("failureThreshold", "httpGet", "periodSeconds", "successThreshold", "timeoutSeconds"),
    },
    "f:readinessProbe": {
      ".": {},
      ...set("failureThreshold", "httpGet", "periodSeconds", "successThreshold", "timeoutSeconds"),
    },
    "f:resources": {
      ".": {},
      "f:limits": { ".": {}, ...set("cpu", "memory") },
      "f:requests": { ".": {}, ...set("cpu", "memory") },
    },
    "f:volumeMounts": {
      ".": {},
      'k:{"mountPath":"/etc/config"}': { ".": {}, ...set("mountPath", "name", "readOnly") },
      'k:{"mountPath":"/tmp"}': { ".": {}, ...set("mountPath", "name") },
    },
  };
  const conditions = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"];
  return [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      time: time(born),
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": {
          "f:generateName": {},
          "f:labels": { ".": {}, ...set("app", "app.kubernetes.io/part-of", "pod-template-hash", "team") },
          "f:ownerReferences": { ".": {}, [`k:{"uid":"${uid(w * 1009)}"}`]: {} },
        },
        "f:spec": {
          "f:affinity": {
            ".": {},
            "f:podAntiAffinity": { ".": {}, "f:preferredDuringSchedulingIgnoredDuringExecution": {} },
          },
          "f:containers": { 'k:{"name":"main"}': container, 'k:{"name":"sidecar"}': container },
          ...set(
            "dnsPolicy",
            "enableServiceLinks",
            "restartPolicy",
            "schedulerName",
            "serviceAccount",
            "serviceAccountName",
            "terminationGracePeriodSeconds",
          ),
          "f:volumes": {
            ".": {},
            'k:{"name":"config"}': { ".": {}, "f:configMap": { ".": {}, ...set("defaultMode", "name") }, "f:name": {} },
          },
        },
      },
    },
    {
      manager: "kubelet",
      operation: "Update",
      apiVersion: "v1",
      time: time(ready),
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:status": {
          "f:conditions": Object.fromEntries(
            conditions.map((type) => [
              `k:{"type":"${type}"}`,
              { ".": {}, ...set("lastProbeTime", "lastTransitionTime", "status", "type") },
            ]),
          ),
          ...set("containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "startTime"),
          "f:podIPs": { ".": {}, [`k:{"ip":"${podIP}"}`]: { ".": {}, "f:ip": {} } },
        },
      },
      subresource: "status",
    },
  ];
}

/** Returns a pod: 11 kB of JSON, 6.5 kB of Protobuf. */
export function workloadPod(i) {
  const w = Math.floor(i / podsPerWorkload);
  const template = randomText(w * 31 + 7, 10);
  const born = ((w * 977) % 4_000_000) + ((i * 13) % 60);
  const podIP = `10.${100 + (nodeNumber(i) >> 8)}.${nodeNumber(i) & 255}.${(i * 31) % 250}`;
  const hostIP = `10.${Math.floor(nodeNumber(i) / 250)}.${nodeNumber(i) % 250}.17`;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${workloadName(w)}-${template}-${randomText(i, 5)}${i % podsPerWorkload}`,
      generateName: `${workloadName(w)}-${template}-`,
      namespace: `team-${Math.floor(w / 20)}`,
      uid: uid(i * 5 + 11),
      resourceVersion: String(10_000_000 + i * 3),
      generation: 1,
      creationTimestamp: time(born),
      labels: {
        app: workloadName(w),
        "app.kubernetes.io/part-of": ["shop", "search", "billing"][w % 3],
        "pod-template-hash": template,
        team: `team-${Math.floor(w / 20)}`,
      },
      annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "9090" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `${workloadName(w)}-${template}`,
          uid: uid(w * 1009),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFieldsOf(w, born, podIP, born + 9 + (i % 7)),
    },
    spec: specOf(i, w),
    status: statusOf(i, w, born, podIP, hostIP),
  };
}

/** Returns a custom resource of 1 kB of JSON: a certificate of a workload. */
export function workloadCertificate(i) {
  const w = Math.floor(i / podsPerWorkload);
  const name = `${workloadName(w)}-${randomText(i * 5 + 1, 5)}${i % podsPerWorkload}`;
  const born = w * 97 + (i % podsPerWorkload) * 11;
  return {
    apiVersion: "certificates.example.com/v1",
    kind: "Certificate",
    metadata: {
      name,
      namespace: `team-${w % 40}`,
      uid: uid(i * 13 + 5),
      resourceVersion: String(40_000_000 + i * 17),
      generation: 1,
      creationTimestamp: time(born),
      labels: { app: workloadName(w), "app.kubernetes.io/managed-by": "issuer" },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "Deployment", name: workloadName(w), uid: uid(w * 1009), controller: true },
      ],
    },
    spec: {
      secretName: `${name}-tls`,
      dnsNames: [`${name}.team-${w % 40}.svc`, `${name}.example.com`],
      duration: "2160h0m0s",
      renewBefore: "360h0m0s",
      issuerRef: { group: "certificates.example.com", kind: "ClusterIssuer", name: "internal" },
      privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
    },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Issued",
          message: "The certificate is up to date",
          lastTransitionTime: time(born + 4),
          observedGeneration: 1,
        },
      ],
      notAfter: time(born + 7_776_000),
      renewalTime: time(born + 6_480_000),
      revision: 1 + (i % 3),
    },
  };
}

/** Returns a ConfigMap of 200 kB that has nothing in common with others, which is rare, and the worst case. */
export function longConfigMap(i) {
  const data = {};
  for (let part = 0; part < 20; part++) data[`part-${part}.json`] = randomText(i * 20 + part, 10_000, letters);
  return {
    metadata: {
      name: `settings-${i}`,
      namespace: `team-${i % 40}`,
      uid: uid(i * 11 + 3),
      resourceVersion: String(50_000_000 + i),
      creationTimestamp: time(i),
      labels: { app: `shop-${i % 100}` },
    },
    data,
  };
}
