/** Built-in kind to probe: its collection, a minimal object, and a rich one. */
export interface KindFixture {
  readonly name: string;
  readonly collection: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly minimal: Readonly<Record<string, unknown>>;
  readonly rich: Readonly<Record<string, unknown>>;
}

type Body = Readonly<Record<string, unknown>>;

function fixture(
  apiVersion: string,
  kind: string,
  resource: string,
  namespaced: boolean,
  minimal: Body,
  rich: Body,
): KindFixture {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const name = apiVersion.includes("/")
    ? `${apiVersion.split("/")[0]!.split(".")[0]!}-${apiVersion.split("/")[1]!}-${resource}`
    : resource;
  return {
    name,
    collection: `${root}/${namespaced ? "namespaces/${ns}/" : ""}${resource}`,
    apiVersion,
    kind,
    minimal,
    rich,
  };
}

/** Certificate request of the user `probe`. */
const signingRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITE1ISUNBUUF3RURFT01Bd0dBMVVFQXd3RmNISnZZbVV3V1RBVEJnY3Foa2pPUFFJQkJnZ3Foa2pPUFFNQgpCd05DQUFSTk9aY0hxQ1JvN0hycGlGRGpXY0pVdXE4Q1FaZVhUTmxmeWt6b3l0Y3dlSWJrZDVBZmVqZkhGWXVFCmI5YTQ0QzdURFRjTzhQSWphTmg2ZnVlenlWaUZvQUF3Q2dZSUtvWkl6ajBFQXdJRFNRQXdSZ0loQU8wN3JPQXEKQnlRSVhnS1gxc1UrK0ZRMVU5WkdaNERBT2dwclNSV3Y2b3NsQWlFQW5lUmFSNjQ2TW96YWFTdys1Q0Zpb2VPQQpYQVh5N0c5MFNXcXFrYjk3ZGJBPQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

const labels = { app: "web", "example.com/tier": "front" };
const container = { name: "main", image: "registry.example/web:1" };
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };
const never = { metadata: { labels: { app: "web" } }, spec: { restartPolicy: "Never", containers: [container] } };
const selector = { matchLabels: { app: "web" } };

/** Pod spec with most fields set. */
export const richPodSpec = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 20,
  activeDeadlineSeconds: 600,
  dnsPolicy: "None",
  nodeSelector: { disk: "ssd" },
  serviceAccountName: "robot",
  automountServiceAccountToken: false,
  hostNetwork: false,
  shareProcessNamespace: true,
  hostname: "web",
  subdomain: "sub",
  schedulerName: "mine",
  priorityClassName: "",
  preemptionPolicy: "PreemptLowerPriority",
  enableServiceLinks: false,
  setHostnameAsFQDN: false,
  imagePullSecrets: [{ name: "pull" }],
  hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.example", "b.example"] }],
  dnsConfig: { nameservers: ["1.2.3.4"], searches: ["example.com"], options: [{ name: "ndots", value: "2" }] },
  readinessGates: [{ conditionType: "example.com/ready" }],
  securityContext: {
    runAsUser: 1000,
    runAsGroup: 1000,
    runAsNonRoot: true,
    fsGroup: 2000,
    fsGroupChangePolicy: "OnRootMismatch",
    supplementalGroups: [1, 2],
    sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }],
    seccompProfile: { type: "Localhost", localhostProfile: "p.json" },
    appArmorProfile: { type: "RuntimeDefault" },
    seLinuxOptions: { level: "s0:c123,c456" },
    supplementalGroupsPolicy: "Merge",
    seLinuxChangePolicy: "Recursive",
  },
  tolerations: [
    { key: "k", operator: "Equal", value: "v", effect: "NoExecute", tolerationSeconds: 30 },
    { operator: "Exists" },
  ],
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: selector,
      minDomains: 2,
      nodeAffinityPolicy: "Honor",
      nodeTaintsPolicy: "Ignore",
      matchLabelKeys: ["rev"],
    },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "zone", operator: "In", values: ["a", "b"] },
              { key: "gen", operator: "Gt", values: ["3"] },
            ],
            matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }],
          },
        ],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] } },
      ],
    },
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          labelSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["x"] }] },
          topologyKey: "zone",
          namespaces: ["other"],
          namespaceSelector: { matchLabels: { t: "u" } },
          matchLabelKeys: ["a"],
          mismatchLabelKeys: ["b"],
        },
      ],
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, podAffinityTerm: { labelSelector: selector, topologyKey: "zone" } },
      ],
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: selector, topologyKey: "kubernetes.io/hostname" },
      ],
    },
  },
  initContainers: [
    { name: "init", image: "i", command: ["sh"], env: [{ name: "A", value: "b" }] },
    {
      name: "side",
      image: "s",
      restartPolicy: "Always",
      startupProbe: { exec: { command: ["x"] } },
      lifecycle: { preStop: { sleep: { seconds: 3 } } },
    },
  ],
  containers: [
    {
      ...container,
      command: ["run"],
      args: ["-v"],
      workingDir: "/",
      imagePullPolicy: "IfNotPresent",
      terminationMessagePath: "/dev/log",
      terminationMessagePolicy: "File",
      stdin: true,
      stdinOnce: true,
      tty: true,
      ports: [
        { name: "http", containerPort: 8080, protocol: "TCP" },
        { name: "dns", containerPort: 53, hostPort: 1053, hostIP: "127.0.0.1", protocol: "UDP" },
      ],
      env: [
        { name: "PLAIN", value: "1" },
        { name: "POD", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
        {
          name: "CPU",
          valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m", containerName: "main" } },
        },
        { name: "CM", valueFrom: { configMapKeyRef: { name: "c", key: "k", optional: true } } },
        { name: "SEC", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
      envFrom: [{ prefix: "P_", configMapRef: { name: "c" } }, { secretRef: { name: "s", optional: false } }],
      resources: {
        limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi", "example.com/gpu": "2" },
        requests: { cpu: "500m", memory: "512Mi" },
      },
      resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }],
      volumeMounts: [
        { name: "empty", mountPath: "/e", subPath: "d" },
        { name: "cm", mountPath: "/c", readOnly: true, recursiveReadOnly: "IfPossible", mountPropagation: "None" },
      ],
      volumeDevices: [{ name: "claim", devicePath: "/dev/x" }],
      livenessProbe: {
        httpGet: { path: "/live", port: "http", scheme: "HTTP", host: "h", httpHeaders: [{ name: "X-A", value: "1" }] },
        initialDelaySeconds: 1,
        timeoutSeconds: 2,
        periodSeconds: 3,
        successThreshold: 1,
        failureThreshold: 4,
        terminationGracePeriodSeconds: 5,
      },
      readinessProbe: { tcpSocket: { port: 8080, host: "h" }, successThreshold: 2 },
      startupProbe: { grpc: { port: 9000, service: "s" } },
      lifecycle: { postStart: { exec: { command: ["a"] } }, preStop: { httpGet: { port: 80, path: "/" } } },
      securityContext: {
        privileged: false,
        allowPrivilegeEscalation: false,
        capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: 5,
        procMount: "Default",
        seccompProfile: { type: "RuntimeDefault" },
      },
    },
  ],
  volumes: [
    { name: "empty", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
    {
      name: "cm",
      configMap: { name: "c", defaultMode: 420, optional: true, items: [{ key: "k", path: "p", mode: 256 }] },
    },
    { name: "sec", secret: { secretName: "s", items: [{ key: "k", path: "a/b" }] } },
    { name: "claim", persistentVolumeClaim: { claimName: "c", readOnly: true } },
    { name: "host", hostPath: { path: "/h", type: "Directory" } },
    { name: "nfs", nfs: { server: "s", path: "/p" } },
    {
      name: "down",
      downwardAPI: {
        defaultMode: 420,
        items: [
          { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
          { path: "cpu", resourceFieldRef: { containerName: "main", resource: "limits.cpu" } },
        ],
      },
    },
    {
      name: "proj",
      projected: {
        defaultMode: 420,
        sources: [
          { secret: { name: "s" } },
          { configMap: { name: "c", items: [{ key: "k", path: "x" }] } },
          { serviceAccountToken: { path: "tok", audience: "a", expirationSeconds: 3600 } },
          { downwardAPI: { items: [{ path: "n", fieldRef: { fieldPath: "metadata.name" } }] } },
        ],
      },
    },
    {
      name: "csi",
      csi: {
        driver: "d.example",
        fsType: "ext4",
        readOnly: true,
        volumeAttributes: { a: "b" },
        nodePublishSecretRef: { name: "s" },
      },
    },
    { name: "iscsi", iscsi: { targetPortal: "1.2.3.4:3260", iqn: "iqn.2001-04.com.example:x", lun: 1 } },
    {
      name: "eph",
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { a: "b" } },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    },
    { name: "image", image: { reference: "r/x:1", pullPolicy: "Always" } },
  ],
};

const webhook = {
  name: "hook.example.com",
  clientConfig: { service: { namespace: "d", name: "s", path: "/p", port: 443 } },
  rules: [
    {
      operations: ["CREATE", "UPDATE"],
      apiGroups: ["apps"],
      apiVersions: ["v1"],
      resources: ["deployments", "deployments/scale"],
      scope: "Namespaced",
    },
  ],
  failurePolicy: "Ignore",
  matchPolicy: "Exact",
  namespaceSelector: { matchLabels: { never: "matches" } },
  objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] },
  sideEffects: "None",
  timeoutSeconds: 5,
  admissionReviewVersions: ["v1"],
  matchConditions: [{ name: "one", expression: "object.metadata.name != 'x'" }],
};
const leastWebhook = {
  name: "hook.example.com",
  clientConfig: { url: "https://example.com/hook" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ operations: ["DELETE"], apiGroups: ["x.example"], apiVersions: ["v9"], resources: ["none"] }],
};
const constraints = {
  resourceRules: [
    {
      operations: ["CREATE"],
      apiGroups: ["x.example"],
      apiVersions: ["v9"],
      resources: ["none"],
      resourceNames: ["a"],
      scope: "*",
    },
  ],
  excludeResourceRules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["*"], resources: ["pods"] }],
  namespaceSelector: { matchLabels: { a: "b" } },
  objectSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
  matchPolicy: "Equivalent",
};
const deviceClassSelector = [{ cel: { expression: 'device.driver == "d.example"' } }];
const request = {
  name: "r",
  exactly: {
    deviceClassName: "class.example",
    selectors: deviceClassSelector,
    allocationMode: "ExactCount",
    count: 2,
    adminAccess: false,
    tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
  },
};

/** Every built-in kind that can be created. */
export const kindFixtures: readonly KindFixture[] = [
  fixture(
    "v1",
    "Pod",
    "pods",
    true,
    { spec: { containers: [container] } },
    { metadata: { labels, annotations: { note: "x" } }, spec: richPodSpec },
  ),
  fixture(
    "v1",
    "ConfigMap",
    "configmaps",
    true,
    {},
    { data: { a: "1", "b.c": "2" }, binaryData: { bin: "AAEC" }, immutable: false },
  ),
  fixture("v1", "Secret", "secrets", true, {}, { type: "example.com/kind", data: { a: "AAEC" }, immutable: false }),
  fixture(
    "v1",
    "ServiceAccount",
    "serviceaccounts",
    true,
    {},
    { secrets: [{ name: "s" }], imagePullSecrets: [{ name: "p" }], automountServiceAccountToken: false },
  ),
  fixture(
    "v1",
    "Service",
    "services",
    true,
    { spec: { ports: [{ port: 80 }] } },
    {
      spec: {
        type: "NodePort",
        selector: { app: "web" },
        ports: [
          { name: "http", port: 80, targetPort: "http", protocol: "TCP", appProtocol: "kubernetes.io/h2c" },
          { name: "dns", port: 53, targetPort: 53, protocol: "UDP" },
        ],
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 100 } },
        externalIPs: ["8.8.8.8"],
        externalTrafficPolicy: "Local",
        internalTrafficPolicy: "Cluster",
        ipFamilyPolicy: "SingleStack",
        ipFamilies: ["IPv4"],
        publishNotReadyAddresses: true,
        trafficDistribution: "PreferClose",
      },
    },
  ),
  fixture(
    "v1",
    "Endpoints",
    "endpoints",
    true,
    {},
    {
      subsets: [
        {
          addresses: [
            { ip: "1.2.3.4", hostname: "h", nodeName: "n", targetRef: { kind: "Pod", name: "p", namespace: "x" } },
          ],
          notReadyAddresses: [{ ip: "1.2.3.5" }],
          ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
        },
      ],
    },
  ),
  fixture(
    "v1",
    "LimitRange",
    "limitranges",
    true,
    { spec: { limits: [] } },
    {
      spec: {
        limits: [
          {
            type: "Container",
            max: { cpu: "2" },
            min: { cpu: "100m" },
            default: { cpu: "1" },
            defaultRequest: { cpu: "200m" },
            maxLimitRequestRatio: { cpu: "10" },
          },
          { type: "Pod", max: { memory: "1Gi" } },
          { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } },
        ],
      },
    },
  ),
  fixture(
    "v1",
    "ResourceQuota",
    "resourcequotas",
    true,
    { spec: {} },
    {
      spec: {
        hard: { cpu: "10", pods: "5", "requests.memory": "1Gi", "count/deployments.apps": "3" },
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
      },
    },
  ),
  fixture(
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    true,
    { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    {
      spec: {
        accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
        resources: { requests: { storage: "1Gi" }, limits: { storage: "2Gi" } },
        storageClassName: "fast",
        volumeMode: "Block",
        selector: { matchLabels: { a: "b" } },
        volumeName: "v",
        dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "s" },
        volumeAttributesClassName: "vac",
      },
    },
  ),
  fixture(
    "v1",
    "PersistentVolume",
    "persistentvolumes",
    false,
    { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } } },
    {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        csi: {
          driver: "d.example",
          volumeHandle: "h",
          fsType: "ext4",
          volumeAttributes: { a: "b" },
          nodeStageSecretRef: { name: "s", namespace: "n" },
        },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName: "fast",
        volumeMode: "Filesystem",
        mountOptions: ["ro"],
        claimRef: { namespace: "n", name: "c" },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }] },
        },
      },
    },
  ),
  fixture(
    "v1",
    "Namespace",
    "namespaces",
    false,
    {},
    { metadata: { labels }, spec: { finalizers: ["kubernetes", "example.com/mine"] } },
  ),
  fixture(
    "v1",
    "Node",
    "nodes",
    false,
    {},
    {
      spec: {
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        providerID: "x://y",
        unschedulable: true,
        taints: [{ key: "k", value: "v", effect: "NoSchedule" }],
      },
      status: {
        capacity: { cpu: "4" },
        allocatable: { cpu: "3" },
        addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
      },
    },
  ),
  fixture(
    "v1",
    "ReplicationController",
    "replicationcontrollers",
    true,
    { spec: { selector: { app: "web" }, template } },
    { spec: { replicas: 2, minReadySeconds: 3, selector: { app: "web" }, template } },
  ),
  fixture(
    "v1",
    "PodTemplate",
    "podtemplates",
    true,
    { template },
    { template: { metadata: { labels }, spec: { containers: [container], restartPolicy: "OnFailure" } } },
  ),
  fixture(
    "v1",
    "Event",
    "events",
    true,
    { involvedObject: { namespace: "${ns}" } },
    {
      involvedObject: { kind: "Pod", namespace: "${ns}", name: "p", apiVersion: "v1", uid: "u" },
      reason: "Because",
      message: "m",
      source: { component: "c", host: "h" },
      firstTimestamp: "2001-01-01T00:00:00Z",
      lastTimestamp: "2001-01-01T00:00:00Z",
      count: 3,
      type: "Normal",
    },
  ),
  fixture(
    "events.k8s.io/v1",
    "Event",
    "events",
    true,
    {
      eventTime: "2001-01-01T00:00:00.000000Z",
      action: "a",
      reason: "r",
      type: "Normal",
      reportingController: "example.com/c",
      reportingInstance: "i",
      regarding: { namespace: "${ns}" },
    },
    {
      eventTime: "2001-01-01T00:00:00.000000Z",
      action: "a",
      reason: "r",
      type: "Warning",
      reportingController: "example.com/c",
      reportingInstance: "i",
      regarding: { kind: "Pod", namespace: "${ns}", name: "p" },
      related: { kind: "Node", name: "n" },
      note: "n",
      series: { count: 2, lastObservedTime: "2001-01-01T00:00:00.000000Z" },
    },
  ),
  fixture(
    "apps/v1",
    "Deployment",
    "deployments",
    true,
    { spec: { selector, template } },
    {
      spec: {
        replicas: 2,
        minReadySeconds: 3,
        revisionHistoryLimit: 4,
        progressDeadlineSeconds: 50,
        paused: true,
        selector: { ...selector, matchExpressions: [{ key: "app", operator: "In", values: ["web"] }] },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
        template,
      },
    },
  ),
  fixture(
    "apps/v1",
    "ReplicaSet",
    "replicasets",
    true,
    { spec: { selector, template } },
    { spec: { replicas: 2, minReadySeconds: 3, selector, template } },
  ),
  fixture(
    "apps/v1",
    "StatefulSet",
    "statefulsets",
    true,
    { spec: { serviceName: "s", selector, template } },
    {
      spec: {
        serviceName: "s",
        replicas: 2,
        minReadySeconds: 3,
        revisionHistoryLimit: 4,
        podManagementPolicy: "Parallel",
        selector,
        template,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable: 1 } },
        ordinals: { start: 1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
  ),
  fixture(
    "apps/v1",
    "DaemonSet",
    "daemonsets",
    true,
    { spec: { selector, template } },
    {
      spec: {
        minReadySeconds: 3,
        revisionHistoryLimit: 4,
        selector,
        template,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      },
    },
  ),
  fixture(
    "apps/v1",
    "ControllerRevision",
    "controllerrevisions",
    true,
    { revision: 1 },
    { revision: 3, data: { spec: { a: 1 } } },
  ),
  fixture(
    "batch/v1",
    "Job",
    "jobs",
    true,
    { spec: { template: never } },
    {
      spec: {
        parallelism: 2,
        completions: 4,
        activeDeadlineSeconds: 100,
        backoffLimit: 3,
        ttlSecondsAfterFinished: 10,
        completionMode: "Indexed",
        suspend: true,
        podReplacementPolicy: "Failed",
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 2,
        managedBy: "example.com/c",
        template: never,
        podFailurePolicy: {
          rules: [
            { action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [1, 2] } },
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          ],
        },
        successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
      },
    },
  ),
  fixture(
    "batch/v1",
    "CronJob",
    "cronjobs",
    true,
    { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: never } } } },
    {
      spec: {
        schedule: "*/5 1-3 * * 1,2",
        timeZone: "Europe/Berlin",
        startingDeadlineSeconds: 10,
        concurrencyPolicy: "Forbid",
        suspend: true,
        successfulJobsHistoryLimit: 2,
        failedJobsHistoryLimit: 3,
        jobTemplate: { metadata: { labels }, spec: { template: never, backoffLimit: 2 } },
      },
    },
  ),
  fixture(
    "autoscaling/v2",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    true,
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d" } } },
    {
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          {
            type: "Pods",
            pods: { metric: { name: "m", selector }, target: { type: "AverageValue", averageValue: "10" } },
          },
          {
            type: "Object",
            object: {
              describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
              metric: { name: "m" },
              target: { type: "Value", value: "5" },
            },
          },
          {
            type: "External",
            external: { metric: { name: "e" }, target: { type: "AverageValue", averageValue: "3" } },
          },
          {
            type: "ContainerResource",
            containerResource: {
              name: "memory",
              container: "main",
              target: { type: "AverageValue", averageValue: "1Gi" },
            },
          },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 10,
            selectPolicy: "Min",
            policies: [
              { type: "Pods", value: 2, periodSeconds: 15 },
              { type: "Percent", value: 50, periodSeconds: 60 },
            ],
          },
          scaleDown: {
            stabilizationWindowSeconds: 20,
            selectPolicy: "Disabled",
            policies: [{ type: "Percent", value: 10, periodSeconds: 30 }],
          },
        },
      },
    },
  ),
  fixture(
    "autoscaling/v1",
    "HorizontalPodAutoscaler",
    "horizontalpodautoscalers",
    true,
    { spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d" } } },
    {
      spec: {
        minReplicas: 2,
        maxReplicas: 5,
        targetCPUUtilizationPercentage: 60,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      },
    },
  ),
  fixture(
    "policy/v1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    true,
    { spec: {} },
    { spec: { minAvailable: "50%", selector, unhealthyPodEvictionPolicy: "AlwaysAllow" } },
  ),
  fixture(
    "networking.k8s.io/v1",
    "Ingress",
    "ingresses",
    true,
    { spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } },
    {
      spec: {
        ingressClassName: "nginx",
        defaultBackend: { resource: { apiGroup: "x.example", kind: "Bucket", name: "b" } },
        tls: [{ hosts: ["a.example"], secretName: "t" }],
        rules: [
          {
            host: "a.example",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } },
                { path: "/x", pathType: "Exact", backend: { service: { name: "s", port: { name: "http" } } } },
              ],
            },
          },
          {
            host: "*.b.example",
            http: {
              paths: [
                { pathType: "ImplementationSpecific", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
  ),
  fixture(
    "networking.k8s.io/v1",
    "IngressClass",
    "ingressclasses",
    false,
    { spec: { controller: "example.com/c" } },
    {
      spec: {
        controller: "example.com/c",
        parameters: { apiGroup: "x.example", kind: "P", name: "p", scope: "Namespace", namespace: "n" },
      },
    },
  ),
  fixture(
    "networking.k8s.io/v1",
    "NetworkPolicy",
    "networkpolicies",
    true,
    { spec: { podSelector: {} } },
    {
      spec: {
        podSelector: selector,
        policyTypes: ["Ingress", "Egress"],
        ingress: [
          {
            from: [
              { podSelector: selector, namespaceSelector: { matchLabels: { n: "x" } } },
              { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
            ],
            ports: [{ protocol: "TCP", port: 80, endPort: 90 }, { port: "http" }],
          },
        ],
        egress: [{ to: [{ namespaceSelector: {} }], ports: [{ protocol: "UDP", port: 53 }] }],
      },
    },
  ),
  fixture(
    "networking.k8s.io/v1",
    "IPAddress",
    "ipaddresses",
    false,
    { metadata: { name: "192.168.7.1" }, spec: { parentRef: { resource: "services", name: "s" } } },
    {
      metadata: { name: "192.168.7.1", labels },
      spec: { parentRef: { group: "x.example", resource: "things", namespace: "n", name: "s" } },
    },
  ),
  fixture(
    "networking.k8s.io/v1",
    "ServiceCIDR",
    "servicecidrs",
    false,
    { spec: { cidrs: ["192.168.8.0/24"] } },
    { spec: { cidrs: ["192.168.8.0/24", "fd00:1::/64"] } },
  ),
  fixture(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    "endpointslices",
    true,
    { addressType: "IPv4", endpoints: [] },
    {
      addressType: "IPv4",
      ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }],
      endpoints: [
        {
          addresses: ["1.2.3.4"],
          conditions: { ready: true, serving: true, terminating: false },
          hostname: "h",
          nodeName: "n",
          zone: "z",
          targetRef: { kind: "Pod", name: "p" },
          hints: { forZones: [{ name: "z" }], forNodes: [{ name: "n" }] },
          deprecatedTopology: { a: "b" },
        },
      ],
    },
  ),
  fixture(
    "coordination.k8s.io/v1",
    "Lease",
    "leases",
    true,
    {},
    {
      spec: {
        holderIdentity: "h",
        leaseDurationSeconds: 10,
        acquireTime: "2001-01-01T00:00:00.000000Z",
        renewTime: "2001-01-01T00:00:00.000000Z",
        leaseTransitions: 2,
        strategy: "OldestEmulationVersion",
        preferredHolder: "p",
      },
    },
  ),
  fixture(
    "coordination.k8s.io/v1beta1",
    "LeaseCandidate",
    "leasecandidates",
    true,
    { spec: { leaseName: "l", binaryVersion: "1.2.3", strategy: "OldestEmulationVersion" } },
    {
      spec: {
        leaseName: "l",
        binaryVersion: "1.2.3",
        emulationVersion: "1.2.0",
        strategy: "OldestEmulationVersion",
        pingTime: "2001-01-01T00:00:00.000000Z",
        renewTime: "2001-01-01T00:00:00.000000Z",
      },
    },
  ),
  fixture(
    "rbac.authorization.k8s.io/v1",
    "Role",
    "roles",
    true,
    { rules: [] },
    {
      rules: [
        {
          apiGroups: ["", "apps"],
          resources: ["pods", "deployments/scale"],
          verbs: ["get", "list"],
          resourceNames: ["a"],
        },
      ],
    },
  ),
  fixture(
    "rbac.authorization.k8s.io/v1",
    "ClusterRole",
    "clusterroles",
    false,
    { rules: [] },
    {
      rules: [
        { apiGroups: [""], resources: ["pods"], verbs: ["*"] },
        { nonResourceURLs: ["/healthz"], verbs: ["get"] },
      ],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    },
  ),
  fixture(
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
    "rolebindings",
    true,
    { roleRef: { kind: "Role", name: "r" } },
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
      subjects: [
        { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
        { kind: "Group", name: "g" },
      ],
    },
  ),
  fixture(
    "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding",
    "clusterrolebindings",
    false,
    { roleRef: { kind: "ClusterRole", name: "r" } },
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    },
  ),
  fixture(
    "scheduling.k8s.io/v1",
    "PriorityClass",
    "priorityclasses",
    false,
    { value: 5 },
    { value: 5, globalDefault: false, description: "d", preemptionPolicy: "Never" },
  ),
  fixture(
    "storage.k8s.io/v1",
    "StorageClass",
    "storageclasses",
    false,
    { provisioner: "example.com/p" },
    {
      provisioner: "example.com/p",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      mountOptions: ["ro"],
      allowVolumeExpansion: true,
      volumeBindingMode: "WaitForFirstConsumer",
      allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a", "b"] }] }],
    },
  ),
  fixture(
    "storage.k8s.io/v1",
    "CSIDriver",
    "csidrivers",
    false,
    { spec: {} },
    {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        volumeLifecycleModes: ["Persistent", "Ephemeral"],
        storageCapacity: true,
        fsGroupPolicy: "File",
        tokenRequests: [{ audience: "a", expirationSeconds: 3600 }],
        requiresRepublish: true,
        seLinuxMount: false,
        nodeAllocatableUpdatePeriodSeconds: 60,
      },
    },
  ),
  fixture(
    "storage.k8s.io/v1",
    "CSINode",
    "csinodes",
    false,
    { spec: { drivers: [] } },
    { spec: { drivers: [{ name: "d.example", nodeID: "n", topologyKeys: ["zone"], allocatable: { count: 5 } }] } },
  ),
  fixture(
    "storage.k8s.io/v1",
    "CSIStorageCapacity",
    "csistoragecapacities",
    true,
    { storageClassName: "fast" },
    { storageClassName: "fast", nodeTopology: { matchLabels: { a: "b" } }, capacity: "1Gi", maximumVolumeSize: "1Gi" },
  ),
  fixture(
    "storage.k8s.io/v1",
    "VolumeAttachment",
    "volumeattachments",
    false,
    { spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "v" } } },
    {
      spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "v" } },
      status: { attached: true, attachmentMetadata: { a: "b" }, attachError: { message: "m" } },
    },
  ),
  fixture(
    "storage.k8s.io/v1",
    "VolumeAttributesClass",
    "volumeattributesclasses",
    false,
    { driverName: "d.example", parameters: { a: "b" } },
    { driverName: "d.example", parameters: { a: "b", c: "d" } },
  ),
  fixture(
    "node.k8s.io/v1",
    "RuntimeClass",
    "runtimeclasses",
    false,
    { handler: "runc" },
    {
      handler: "runc",
      overhead: { podFixed: { cpu: "10m" } },
      scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }] },
    },
  ),
  fixture(
    "certificates.k8s.io/v1",
    "CertificateSigningRequest",
    "certificatesigningrequests",
    false,
    { spec: { request: signingRequest, signerName: "example.com/signer", usages: ["client auth"] } },
    {
      spec: {
        request: signingRequest,
        signerName: "example.com/signer",
        usages: ["digital signature", "client auth"],
        expirationSeconds: 3600,
      },
    },
  ),
  fixture(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    false,
    { webhooks: [leastWebhook] },
    { webhooks: [webhook] },
  ),
  fixture(
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
    false,
    { webhooks: [leastWebhook] },
    { webhooks: [{ ...webhook, reinvocationPolicy: "IfNeeded" }] },
  ),
  fixture(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    false,
    {
      spec: {
        validations: [{ expression: "true" }],
        matchConstraints: {
          resourceRules: [
            { operations: ["CREATE"], apiGroups: ["x.example"], apiVersions: ["v9"], resources: ["none"] },
          ],
        },
      },
    },
    {
      spec: {
        failurePolicy: "Ignore",
        matchConstraints: constraints,
        matchConditions: [{ name: "c", expression: "request.userInfo.username != 'x'" }],
        variables: [{ name: "v", expression: "1 + 1" }],
        auditAnnotations: [{ key: "k", valueExpression: "'x'" }],
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        validations: [
          {
            expression: "variables.v == 2",
            message: "m",
            messageExpression: "'x' + string(variables.v)",
            reason: "Forbidden",
          },
        ],
      },
    },
  ),
  fixture(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    false,
    { spec: { policyName: "p", validationActions: ["Deny"] } },
    {
      spec: {
        policyName: "p",
        validationActions: ["Warn", "Audit"],
        paramRef: { name: "c", namespace: "n", parameterNotFoundAction: "Allow" },
        matchResources: constraints,
      },
    },
  ),
  fixture(
    "admissionregistration.k8s.io/v1",
    "MutatingAdmissionPolicy",
    "mutatingadmissionpolicies",
    false,
    {
      spec: {
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }],
        matchConstraints: {
          resourceRules: [
            { operations: ["CREATE"], apiGroups: ["x.example"], apiVersions: ["v9"], resources: ["none"] },
          ],
        },
      },
    },
    {
      spec: {
        failurePolicy: "Fail",
        reinvocationPolicy: "IfNeeded",
        matchConstraints: constraints,
        matchConditions: [{ name: "c", expression: "true" }],
        variables: [{ name: "v", expression: "'x'" }],
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": variables.v}}}' },
          },
          {
            patchType: "JSONPatch",
            jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels/x", value: "y"}]' },
          },
        ],
      },
    },
  ),
  fixture(
    "admissionregistration.k8s.io/v1",
    "MutatingAdmissionPolicyBinding",
    "mutatingadmissionpolicybindings",
    false,
    { spec: { policyName: "p" } },
    {
      spec: {
        policyName: "p",
        paramRef: { selector: { matchLabels: { a: "b" } }, parameterNotFoundAction: "Deny" },
        matchResources: constraints,
      },
    },
  ),
  fixture(
    "flowcontrol.apiserver.k8s.io/v1",
    "FlowSchema",
    "flowschemas",
    false,
    { spec: { priorityLevelConfiguration: { name: "exempt" } } },
    {
      spec: {
        priorityLevelConfiguration: { name: "global-default" },
        matchingPrecedence: 9000,
        distinguisherMethod: { type: "ByUser" },
        rules: [
          {
            subjects: [
              { kind: "User", user: { name: "nobody-x" } },
              { kind: "Group", group: { name: "g" } },
              { kind: "ServiceAccount", serviceAccount: { namespace: "n", name: "*" } },
            ],
            resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["x"] }],
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
          },
        ],
      },
    },
  ),
  fixture(
    "flowcontrol.apiserver.k8s.io/v1",
    "PriorityLevelConfiguration",
    "prioritylevelconfigurations",
    false,
    { spec: { type: "Limited", limited: {} } },
    {
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 5,
          lendablePercent: 10,
          borrowingLimitPercent: 20,
          limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 3, queueLengthLimit: 10 } },
        },
      },
    },
  ),
  fixture(
    "apiregistration.k8s.io/v1",
    "APIService",
    "apiservices",
    false,
    {
      metadata: { name: "v1.probe.example" },
      spec: {
        group: "probe.example",
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { namespace: "d", name: "s" },
        insecureSkipTLSVerify: true,
      },
    },
    {
      metadata: { name: "v1.probe.example", labels },
      spec: {
        group: "probe.example",
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { namespace: "d", name: "s", port: 444 },
        insecureSkipTLSVerify: true,
      },
    },
  ),
  fixture(
    "resource.k8s.io/v1",
    "DeviceClass",
    "deviceclasses",
    false,
    { spec: {} },
    {
      spec: {
        selectors: deviceClassSelector,
        config: [{ opaque: { driver: "d.example", parameters: { a: 1 } } }],
        extendedResourceName: "example.com/gpu",
      },
    },
  ),
  fixture(
    "resource.k8s.io/v1",
    "ResourceClaim",
    "resourceclaims",
    true,
    { spec: {} },
    {
      spec: {
        devices: {
          requests: [
            request,
            { name: "alt", firstAvailable: [{ name: "sub", deviceClassName: "class.example", allocationMode: "All" }] },
          ],
          constraints: [{ requests: ["r"], matchAttribute: "d.example/numa" }],
          config: [{ requests: ["r"], opaque: { driver: "d.example", parameters: { a: 1 } } }],
        },
      },
    },
  ),
  fixture(
    "resource.k8s.io/v1",
    "ResourceClaimTemplate",
    "resourceclaimtemplates",
    true,
    { spec: { spec: {} } },
    { spec: { metadata: { labels }, spec: { devices: { requests: [request] } } } },
  ),
  fixture(
    "resource.k8s.io/v1",
    "ResourceSlice",
    "resourceslices",
    false,
    { spec: { driver: "d.example", nodeName: "n", pool: { name: "n", resourceSliceCount: 1 } } },
    {
      spec: {
        driver: "d.example",
        allNodes: true,
        pool: { name: "n", generation: 1, resourceSliceCount: 1 },
        devices: [
          {
            name: "dev",
            attributes: {
              numa: { int: 1 },
              "x.example/model": { string: "m" },
              ok: { bool: true },
              v: { version: "1.2.3" },
            },
            capacity: { memory: { value: "1Gi" } },
            taints: [{ key: "k", value: "v", effect: "NoSchedule" }],
          },
        ],
      },
    },
  ),
  fixture(
    "resource.k8s.io/v1beta2",
    "DeviceTaintRule",
    "devicetaintrules",
    false,
    { spec: { taint: { key: "k", effect: "NoExecute" } } },
    {
      spec: {
        deviceSelector: { driver: "d.example", pool: "p", device: "dev" },
        taint: { key: "k", value: "v", effect: "NoSchedule" },
      },
    },
  ),
  fixture(
    "resource.k8s.io/v1alpha3",
    "ResourcePoolStatusRequest",
    "resourcepoolstatusrequests",
    false,
    { spec: { driver: "d.example" } },
    { spec: { driver: "d.example", poolName: "p", limit: 10 } },
  ),
  fixture(
    "internal.apiserver.k8s.io/v1alpha1",
    "StorageVersion",
    "storageversions",
    false,
    { metadata: { name: "x.example.things" }, spec: {} },
    {
      metadata: { name: "x.example.things" },
      spec: {},
      status: {
        storageVersions: [
          {
            apiServerID: "a",
            encodingVersion: "x.example/v1",
            decodableVersions: ["x.example/v1"],
            servedVersions: ["x.example/v1"],
          },
        ],
      },
    },
  ),
];
