/** Object to create, and its collection. */
export interface Input {
  readonly name: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

const ns = "/namespaces/strategies";
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "busybox" }] } };
const selector = { matchLabels: { app: "a" } };

function core(resource: string, name: string, body: Record<string, unknown>, namespaced = true): Input {
  return { name: `${resource}/${name}`, path: `/api/v1${namespaced ? ns : ""}/${resource}`, body: { metadata: { name }, ...body } };
}

function group(apiVersion: string, resource: string, name: string, body: Record<string, unknown>, namespaced = true): Input {
  return { name: `${resource}.${apiVersion}/${name}`, path: `/apis/${apiVersion}${namespaced ? ns : ""}/${resource}`, body: { metadata: { name }, ...body } };
}

/** Objects that together use the defaults of every kind. */
export const inputs: readonly Input[] = [
  core("pods", "plain", { spec: { containers: [{ name: "c", image: "busybox" }] } }),
  core("pods", "rich", {
    metadata: { name: "rich", labels: { app: "a" }, annotations: { k: "v" }, creationTimestamp: null, generation: 9 },
    status: { phase: "Running" },
    spec: {
      serviceAccountName: "default", hostNetwork: true, activeDeadlineSeconds: 100, nodeSelector: {}, priority: null,
      initContainers: [{ name: "i", image: "a/b:1.0", resources: { limits: { cpu: "1000m", memory: "1024Mi" } } }, { name: "side", image: "a", restartPolicy: "Always" }],
      containers: [
        {
          name: "c", image: "registry:5000/a/b", ports: [{ containerPort: 80 }], env: [{ name: "A" }, { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
          livenessProbe: { httpGet: { port: "http" } }, readinessProbe: { tcpSocket: { port: 80 }, timeoutSeconds: 5 }, startupProbe: { grpc: { port: 1 } },
          lifecycle: { preStop: { httpGet: { port: 1 } } }, tty: false, stdin: true, command: [], resources: { limits: { cpu: 0.5 }, requests: { memory: "1.5Gi" } },
          volumeMounts: [{ name: "e", mountPath: "/e" }],
        },
        { name: "d", image: "x@sha256:0000000000000000000000000000000000000000000000000000000000000000" },
      ],
      volumes: [
        { name: "e" }, { name: "s", secret: { secretName: "x" } }, { name: "cm", configMap: { name: "x" } }, { name: "h", hostPath: { path: "/" } },
        { name: "d", downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "metadata.name" } }] } },
        { name: "p", projected: { sources: [{ serviceAccountToken: { path: "t" } }, { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "metadata.name" } }] } }] } },
        { name: "eph", ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } } } },
        { name: "i", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2015-02.example.com:test", lun: 0 } },
      ],
      tolerations: [{ key: "a", operator: "Exists" }],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: selector }],
    },
  }),
  core("pods", "guaranteed", { spec: { containers: [{ name: "c", image: "a", resources: { limits: { cpu: "1", memory: "1Gi" } } }], tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }], dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"] } } }),
  core("pods", "burstable", { spec: { resources: { limits: { cpu: "2" } }, containers: [{ name: "c", image: "a", resources: { requests: { cpu: "100m" } } }] } }),
  core("podtemplates", "a", { template }),
  core("replicationcontrollers", "a", { spec: { template } }),
  core("services", "a", { spec: { selector: { a: "b" }, ports: [{ port: 80 }] } }),
  core("services", "headless", { spec: { clusterIP: "None", ports: [{ port: 80, name: "a", targetPort: "http" }, { port: 81, name: "b", protocol: "UDP" }], sessionAffinity: "ClientIP" } }),
  core("services", "external", { spec: { type: "ExternalName", externalName: "example.com" } }),
  core("services", "balancer", { spec: { type: "LoadBalancer", ports: [{ port: 80 }], selector: { a: "b" } } }),
  core("services", "node-port", { spec: { type: "NodePort", ports: [{ port: 80 }], externalIPs: ["1.2.3.4"] } }),
  core("endpoints", "a", { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] }),
  core("configmaps", "a", { data: { k: "v" }, binaryData: { b: "aGk=" } }),
  core("configmaps", "empty", {}),
  core("secrets", "a", { stringData: { k: "v" }, data: { x: "aGk=" } }),
  core("secrets", "tls", { type: "kubernetes.io/tls", data: { "tls.crt": "aGk=", "tls.key": "aGk=" } }),
  core("serviceaccounts", "a", {}),
  core("persistentvolumeclaims", "a", { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } } }),
  core("persistentvolumes", "a", { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } } }, false),
  core("limitranges", "a", { spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" }, default: { memory: "10Mi" } }] } }),
  core("resourcequotas", "a", { spec: { hard: { pods: "10", "requests.cpu": "1000m" } } }),
  core("events", "a", { involvedObject: { kind: "Pod", name: "a", namespace: "strategies" }, reason: "R", message: "m", type: "Normal", count: 1 }),
  core("namespaces", "strategies-b", {}, false),
  core("nodes", "strategies", { spec: { podCIDR: "10.1.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }] }, status: { capacity: { cpu: "4" } } }, false),
  group("apps/v1", "deployments", "a", { spec: { selector, template } }),
  group("apps/v1", "deployments", "recreate", { spec: { replicas: 0, selector, template, strategy: { type: "Recreate" }, paused: false }, status: { replicas: 3 } }),
  group("apps/v1", "replicasets", "a", { spec: { selector, template } }),
  group("apps/v1", "statefulsets", "a", { spec: { selector, template, serviceName: "s", volumeClaimTemplates: [{ metadata: { name: "v" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } }] } }),
  group("apps/v1", "statefulsets", "on-delete", { spec: { selector, template, updateStrategy: { type: "OnDelete" } } }),
  group("apps/v1", "daemonsets", "a", { spec: { selector, template } }),
  group("apps/v1", "controllerrevisions", "a", { revision: 1, data: { a: 1 } }),
  group("batch/v1", "jobs", "a", { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] } } } }),
  group("batch/v1", "jobs", "indexed", { spec: { completions: 3, completionMode: "Indexed", backoffLimitPerIndex: 1, template: { metadata: { labels: { x: "y" } }, spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] } } } }),
  group("batch/v1", "cronjobs", "a", { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "a" }] } } } } } }),
  group("autoscaling/v2", "horizontalpodautoscalers", "a", { spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 3, behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } } } }),
  group("policy/v1", "poddisruptionbudgets", "a", { spec: { minAvailable: 1, selector } }),
  group("networking.k8s.io/v1", "ingresses", "a", { spec: { rules: [{ host: "a.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }] } }], tls: [{ hosts: ["a.example.com"], secretName: "t" }] } }),
  group("networking.k8s.io/v1", "ingressclasses", "a", { spec: { controller: "example.com/c", parameters: { kind: "K", name: "n", apiGroup: "example.com" } } }, false),
  group("networking.k8s.io/v1", "networkpolicies", "a", { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }], egress: [{}] } }),
  group("networking.k8s.io/v1", "ipaddresses", "10.0.0.77", { spec: { parentRef: { group: "", resource: "services", namespace: "strategies", name: "x" } } }, false),
  group("networking.k8s.io/v1", "servicecidrs", "a", { spec: { cidrs: ["10.9.0.0/24"] } }, false),
  group("discovery.k8s.io/v1", "endpointslices", "a", { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }], ports: [{ port: 80 }] }),
  group("coordination.k8s.io/v1", "leases", "a", { spec: { holderIdentity: "me", renewTime: "2024-01-01T02:00:00.500000+02:00", leaseDurationSeconds: 15 } }),
  group("rbac.authorization.k8s.io/v1", "roles", "a", { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }),
  group("rbac.authorization.k8s.io/v1", "rolebindings", "a", { roleRef: { kind: "Role", name: "a" }, subjects: [{ kind: "User", name: "u" }, { kind: "ServiceAccount", name: "s", namespace: "strategies" }] }),
  group("rbac.authorization.k8s.io/v1", "clusterroles", "strategies", { rules: [] }, false),
  group("rbac.authorization.k8s.io/v1", "clusterrolebindings", "strategies", { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }, subjects: [{ kind: "Group", name: "g" }] }, false),
  group("scheduling.k8s.io/v1", "priorityclasses", "strategies", { value: 7 }, false),
  group("storage.k8s.io/v1", "storageclasses", "strategies", { provisioner: "example.com/p" }, false),
  group("storage.k8s.io/v1", "csidrivers", "strategies.example.com", { spec: {} }, false),
  group("storage.k8s.io/v1", "csinodes", "strategies", { spec: { drivers: [{ name: "d", nodeID: "n" }] } }, false),
  group("storage.k8s.io/v1", "csistoragecapacities", "a", { storageClassName: "s", capacity: "1024Mi" }),
  group("storage.k8s.io/v1", "volumeattachments", "strategies", { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "pv" } } }, false),
  group("storage.k8s.io/v1", "volumeattributesclasses", "strategies", { driverName: "d.example.com", parameters: { a: "b" } }, false),
  group("node.k8s.io/v1", "runtimeclasses", "strategies", { handler: "h" }, false),
  group("flowcontrol.apiserver.k8s.io/v1", "flowschemas", "strategies", { spec: { priorityLevelConfiguration: { name: "exempt" }, rules: [{ subjects: [{ kind: "User", user: { name: "u" } }], nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }] }] } }, false),
  group("flowcontrol.apiserver.k8s.io/v1", "prioritylevelconfigurations", "strategies", { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } } }, false),
  group("admissionregistration.k8s.io/v1", "validatingwebhookconfigurations", "strategies", { webhooks: [{ name: "a.example.com", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig: { service: { namespace: "none", name: "none" } }, rules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nones"] }] }] }, false),
  group("admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", "strategies", { webhooks: [{ name: "a.example.com", admissionReviewVersions: ["v1"], sideEffects: "None", clientConfig: { url: "https://none.example.com/x" } }] }, false),
  group("admissionregistration.k8s.io/v1", "validatingadmissionpolicies", "strategies", { spec: { matchConstraints: { resourceRules: [{ apiGroups: ["none.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nones"] }] }, validations: [{ expression: "true" }] } }, false),
  group("admissionregistration.k8s.io/v1", "validatingadmissionpolicybindings", "strategies", { spec: { policyName: "strategies", validationActions: ["Deny"] } }, false),
  group("apiregistration.k8s.io/v1", "apiservices", "v1.none.example.com", { spec: { group: "none.example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10, service: { namespace: "none", name: "none" }, insecureSkipTLSVerify: true } }, false),
  group("resource.k8s.io/v1", "deviceclasses", "strategies", { spec: { selectors: [{ cel: { expression: "true" } }] } }, false),
  group("resource.k8s.io/v1", "resourceclaims", "a", { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "strategies" } }] } } }),
];
