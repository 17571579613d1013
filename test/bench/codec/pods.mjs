// Pods like those of a ReplicaSet with the status of a kubelet: about 8.5 kB of JSON each, two fifths of it
// managedFields.

/** Seeded random numbers, so that every run uses the same pods. */
function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const hex = (random, length) => Array.from({ length }, () => "0123456789abcdef"[Math.floor(random() * 16)]).join("");
const uid = (random) => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join("-");
const time = (seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
const f = (...names) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

function managedFields(created, started, container, owner, ip) {
  const probe = {
    ".": {},
    ...f("failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"),
    "f:httpGet": { ".": {}, ...f("path", "port", "scheme") },
  };
  return [
    {
      manager: "kube-controller-manager",
      operation: "Update",
      apiVersion: "v1",
      time: time(created),
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": {
          "f:annotations": { ".": {}, ...f("checksum/config", "prometheus.io/port", "prometheus.io/scrape") },
          ...f("generateName"),
          "f:labels": {
            ".": {},
            ...f(
              "app.kubernetes.io/component",
              "app.kubernetes.io/instance",
              "app.kubernetes.io/name",
              "app.kubernetes.io/version",
              "pod-template-hash",
            ),
          },
          "f:ownerReferences": { ".": {}, [`k:{"uid":"${owner}"}`]: {} },
        },
        "f:spec": {
          "f:containers": {
            [`k:{"name":"${container}"}`]: {
              ".": {},
              ...f("args", "image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy"),
              "f:env": {
                ".": {},
                'k:{"name":"LOG_LEVEL"}': { ".": {}, ...f("name", "value") },
                'k:{"name":"POD_NAME"}': { ".": {}, ...f("name"), "f:valueFrom": { ".": {}, "f:fieldRef": {} } },
                'k:{"name":"REGION"}': { ".": {}, ...f("name", "value") },
              },
              "f:livenessProbe": probe,
              "f:readinessProbe": probe,
              "f:ports": {
                ".": {},
                'k:{"containerPort":8080,"protocol":"TCP"}': { ".": {}, ...f("containerPort", "name", "protocol") },
                'k:{"containerPort":9090,"protocol":"TCP"}': { ".": {}, ...f("containerPort", "name", "protocol") },
              },
              "f:resources": {
                ".": {},
                "f:limits": { ".": {}, ...f("cpu", "memory") },
                "f:requests": { ".": {}, ...f("cpu", "memory") },
              },
              "f:securityContext": {
                ".": {},
                ...f("allowPrivilegeEscalation", "readOnlyRootFilesystem", "runAsNonRoot"),
              },
              "f:volumeMounts": {
                ".": {},
                'k:{"mountPath":"/etc/config"}': { ".": {}, ...f("mountPath", "name", "readOnly") },
                'k:{"mountPath":"/tmp"}': { ".": {}, ...f("mountPath", "name") },
              },
            },
          },
          ...f(
            "dnsPolicy",
            "enableServiceLinks",
            "restartPolicy",
            "schedulerName",
            "serviceAccount",
            "serviceAccountName",
            "terminationGracePeriodSeconds",
          ),
          "f:securityContext": { ".": {}, ...f("fsGroup") },
          "f:volumes": {
            ".": {},
            'k:{"name":"config"}': { ".": {}, "f:configMap": { ".": {}, ...f("defaultMode", "name") }, ...f("name") },
            'k:{"name":"tmp"}': { ".": {}, ...f("emptyDir", "name") },
          },
        },
      },
    },
    {
      manager: "kubelet",
      operation: "Update",
      apiVersion: "v1",
      time: time(started),
      fieldsType: "FieldsV1",
      subresource: "status",
      fieldsV1: {
        "f:status": {
          "f:conditions": Object.fromEntries(
            ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"].map((type) => [
              `k:{"type":"${type}"}`,
              { ".": {}, ...f("lastProbeTime", "lastTransitionTime", "status", "type") },
            ]),
          ),
          ...f("containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "startTime"),
          "f:podIPs": { ".": {}, [`k:{"ip":"${ip}"}`]: { ".": {}, ...f("ip") } },
        },
      },
    },
  ];
}

/** Returns one pod. */
export function makePod(index, random) {
  const set = Math.floor(index / 25);
  const name = `service-${String(set).padStart(4, "0")}`;
  const hash = `${hex(mulberry(set), 9)}${"b"}`;
  const created = 1_780_000_000 + set * 61 + (index % 25);
  const started = created + 2;
  const owner = uid(mulberry(set + 1e6));
  const ip = `10.${String(index >> 16)}.${String((index >> 8) & 255)}.${String(index & 255)}`;
  const node = `node-${String(Math.floor(random() * 200)).padStart(3, "0")}.eu-central-1.compute.internal`;
  const hostIP = `192.168.${String(index % 200)}.${String(set % 250)}`;
  const image = `registry.example.com/platform/${name}:v1.${String(set % 40)}.${String(set % 7)}`;
  const probe = (path) => ({
    httpGet: { path, port: "http", scheme: "HTTP" },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  const resources = { limits: { cpu: "500m", memory: "512Mi" }, requests: { cpu: "100m", memory: "256Mi" } };
  const volumeMounts = [
    { name: "config", readOnly: true, mountPath: "/etc/config" },
    { name: "tmp", mountPath: "/tmp" },
    {
      name: `kube-api-access-${hash.slice(0, 5)}`,
      readOnly: true,
      mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    },
  ];
  const condition = (type) => ({
    type,
    observedGeneration: 1,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: time(started),
  });
  return {
    metadata: {
      name: `${name}-${hash}-${hex(random, 5)}`,
      generateName: `${name}-${hash}-`,
      namespace: `team-${String(set % 40).padStart(2, "0")}`,
      uid: uid(random),
      resourceVersion: String(1_000_000 + index * 3),
      generation: 1,
      creationTimestamp: time(created),
      labels: {
        "app.kubernetes.io/component": "server",
        "app.kubernetes.io/instance": name,
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/version": `1.${String(set % 40)}.${String(set % 7)}`,
        "pod-template-hash": hash,
      },
      annotations: {
        "checksum/config": hex(mulberry(set + 2e6), 64),
        "prometheus.io/port": "9090",
        "prometheus.io/scrape": "true",
      },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `${name}-${hash}`,
          uid: owner,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(created, started, name, owner, ip),
    },
    spec: {
      volumes: [
        { name: "config", configMap: { name: `${name}-config`, defaultMode: 420 } },
        { name: "tmp", emptyDir: {} },
        {
          name: `kube-api-access-${hash.slice(0, 5)}`,
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
      containers: [
        {
          name,
          image,
          args: ["--config=/etc/config/server.yaml", "--listen=:8080", "--metrics=:9090"],
          ports: [
            { name: "http", containerPort: 8080, protocol: "TCP" },
            { name: "metrics", containerPort: 9090, protocol: "TCP" },
          ],
          env: [
            { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
            { name: "LOG_LEVEL", value: "info" },
            { name: "REGION", value: "eu-central-1" },
          ],
          resources,
          volumeMounts,
          livenessProbe: probe("/healthz"),
          readinessProbe: probe("/readyz"),
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
          securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: name,
      serviceAccount: name,
      nodeName: node,
      securityContext: { fsGroup: 65532 },
      schedulerName: "default-scheduler",
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
        { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: "PreemptLowerPriority",
    },
    status: {
      observedGeneration: 1,
      phase: "Running",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        condition,
      ),
      hostIP,
      hostIPs: [{ ip: hostIP }],
      podIP: ip,
      podIPs: [{ ip }],
      startTime: time(created + 1),
      containerStatuses: [
        {
          name,
          state: { running: { startedAt: time(started) } },
          lastState: {},
          ready: true,
          restartCount: index % 3,
          image,
          imageID: `${image.split(":")[0]}@sha256:${hex(mulberry(set + 3e6), 64)}`,
          containerID: `containerd://${hex(random, 64)}`,
          started: true,
          allocatedResources: resources.requests,
          resources,
          volumeMounts: volumeMounts.map((mount) => ({
            name: mount.name,
            mountPath: mount.mountPath,
            ...(mount.readOnly ? { readOnly: true, recursiveReadOnly: "Disabled" } : {}),
          })),
          user: { linux: { uid: 65532, gid: 65532, supplementalGroups: [65532] } },
        },
      ],
      qosClass: "Burstable",
    },
  };
}

/** Returns the random numbers for a run of pods. */
export function podRandom() {
  return mulberry(42);
}
