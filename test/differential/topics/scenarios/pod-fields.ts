import type { Probe, Topic } from "../../probe.js";
import type { Json } from "./steps.js";
import { one, patch, pod, pods, post, put, quiet, remove } from "./steps.js";

type Case = readonly [name: string, value: Json];

const c = (more: Json = {}, name = "c"): Json => ({ name, image: "i", ...more });
const env = (valueFrom: Json): Json => ({ env: [{ name: "A", valueFrom }] });
const probe = (handler: Json, more: Json = {}): Json => ({ ...handler, ...more });
const tcp = { tcpSocket: { port: 80 } };

/** Fields of a container. */
const containers: readonly Case[] = [
  ["file-key", env({ fileKeyRef: { volumeName: "v", path: "a/b", key: "K" } })],
  ["file-key-optional", env({ fileKeyRef: { volumeName: "v", path: "a", key: "K", optional: true } })],
  ["file-key-bad", env({ fileKeyRef: { volumeName: "", path: "../a", key: "a b" } })],
  ["file-key-abs", env({ fileKeyRef: { volumeName: "w", path: "/a", key: "" } })],
  [
    "file-key-two",
    env({ fileKeyRef: { volumeName: "v", path: "a", key: "K" }, fieldRef: { fieldPath: "metadata.name" } }),
  ],
  ["env-none", env({})],
  ["env-value-and-from", { env: [{ name: "A", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }],
  ...[
    "metadata.name",
    "metadata.labels",
    "metadata.annotations['a']",
    "metadata.labels['a b']",
    "spec.nodeName",
    "status.hostIPs",
    "status.podIPs",
    "status.hostIP",
    "spec.foo",
    "metadata.annotations",
    "",
  ].map((fieldPath) => [`env-field ${fieldPath}`, env({ fieldRef: { fieldPath } })] as const),
  ["env-field-version", env({ fieldRef: { fieldPath: "metadata.name", apiVersion: "v2" } })],
  ...[
    "limits.cpu",
    "requests.memory",
    "limits.ephemeral-storage",
    "limits.hugepages-2Mi",
    "requests.hugepages-1Gi",
    "limits.example.com/x",
    "cpu",
    "",
  ].map((resource) => [`env-resource ${resource}`, env({ resourceFieldRef: { resource } })] as const),
  ...["1", "1m", "1Ki", "2", "1k", "5Gi"].map(
    (divisor) =>
      [
        `env-divisor ${divisor}`,
        {
          env: ["limits.cpu", "limits.memory", "limits.hugepages-2Mi"].map((resource, at) => ({
            name: `A${String(at)}`,
            valueFrom: { resourceFieldRef: { resource, divisor } },
          })),
        },
      ] as const,
  ),
  ["env-secret", env({ secretKeyRef: { name: "s", key: "k", optional: false } })],
  ["env-secret-bad", env({ secretKeyRef: { name: "S_", key: "k/" } })],
  ["env-map-empty", env({ configMapKeyRef: { key: "k" } })],
  ["env-names", { env: ["1A", "a.b", "a-b", "A=B", "A\u0001", "é", ""].map((name) => ({ name, value: "x" })) }],
  [
    "env-twice",
    {
      env: [
        { name: "A", value: "1" },
        { name: "A", value: "2" },
      ],
    },
  ],
  [
    "env-from",
    { envFrom: [{ prefix: "P_", configMapRef: { name: "c" } }, { secretRef: { name: "s", optional: true } }] },
  ],
  [
    "env-from-bad",
    { envFrom: [{}, { configMapRef: {}, secretRef: { name: "x" } }, { prefix: "a=b", configMapRef: { name: "C_" } }] },
  ],
  ["claims", { resources: { claims: [{ name: "rc" }, { name: "rc", request: "r" }] } }],
  ["claims-unknown", { resources: { claims: [{ name: "zz" }] } }],
  ["claims-twice", { resources: { claims: [{ name: "rc" }, { name: "rc" }] } }],
  ["claims-bad", { resources: { claims: [{ name: "" }, { name: "A B", request: "R R" }] } }],
  [
    "limits",
    {
      resources: {
        limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "example.com/gpu": "1" },
      },
    },
  ],
  ["requests-over", { resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }],
  ["extended-request", { resources: { requests: { "example.com/gpu": "1" } } }],
  ["extended-unequal", { resources: { limits: { "example.com/gpu": "2" }, requests: { "example.com/gpu": "1" } } }],
  ["extended-fraction", { resources: { limits: { "example.com/gpu": "1500m" } } }],
  ["hugepages-odd", { resources: { limits: { "hugepages-2Mi": "3Mi", cpu: "1" } } }],
  ["hugepages-alone", { resources: { limits: { "hugepages-2Mi": "2Mi" } } }],
  [
    "resource-names",
    {
      resources: {
        limits: {
          "a b": "1",
          foo: "1",
          "kubernetes.io/x": "1",
          "requests.example.com/x": "1",
          "attachable-volumes-x": "1",
        },
      },
    },
  ],
  ["negative", { resources: { limits: { cpu: "-1" }, requests: { memory: "-1" } } }],
  [
    "resize",
    {
      resizePolicy: [
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "memory", restartPolicy: "RestartContainer" },
      ],
    },
  ],
  [
    "resize-bad",
    {
      resizePolicy: [
        { resourceName: "cpu", restartPolicy: "X" },
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "example.com/x", restartPolicy: "NotRequired" },
        { resourceName: "memory" },
      ],
    },
  ],
  [
    "ports",
    {
      ports: [
        { containerPort: 80 },
        { name: "a", containerPort: 81, protocol: "UDP", hostPort: 81, hostIP: "1.2.3.4" },
        { containerPort: 82, protocol: "SCTP" },
      ],
    },
  ],
  [
    "ports-bad",
    {
      ports: [
        { name: "A", containerPort: 0 },
        { name: "b", containerPort: 70000, protocol: "X", hostPort: -1 },
        { name: "b", containerPort: 1, hostIP: "x" },
      ],
    },
  ],
  [
    "ports-conflict",
    {
      ports: [
        { containerPort: 1, hostPort: 5 },
        { containerPort: 2, hostPort: 5 },
        { containerPort: 3, hostPort: 5, hostIP: "1.1.1.1" },
      ],
    },
  ],
  ...(["livenessProbe", "readinessProbe", "startupProbe"] as const).flatMap((key): Case[] => [
    [`${key}-tcp`, { [key]: tcp }],
    [`${key}-http`, { [key]: { httpGet: { port: "web" } } }],
    [`${key}-grpc`, { [key]: { grpc: { port: 5 } } }],
    [`${key}-grpc-service`, { [key]: { grpc: { port: 5, service: "x" } } }],
    [`${key}-exec`, { [key]: { exec: { command: ["a"] } } }],
    [`${key}-none`, { [key]: {} }],
    [`${key}-two`, { [key]: { ...tcp, exec: { command: ["a"] } } }],
    [`${key}-grace`, { [key]: probe(tcp, { terminationGracePeriodSeconds: 5 }) }],
    [`${key}-zero-grace`, { [key]: probe(tcp, { terminationGracePeriodSeconds: 0 }) }],
    [`${key}-successes`, { [key]: probe(tcp, { successThreshold: 2 }) }],
    [
      `${key}-negative`,
      {
        [key]: probe(tcp, {
          initialDelaySeconds: -1,
          timeoutSeconds: -1,
          periodSeconds: -1,
          successThreshold: -1,
          failureThreshold: -1,
        }),
      },
    ],
    [
      `${key}-http-bad`,
      {
        [key]: {
          httpGet: { port: 0, path: "", scheme: "FTP", host: "a b", httpHeaders: [{ name: "a b", value: "x" }] },
        },
      },
    ],
    [`${key}-exec-empty`, { [key]: { exec: { command: [] } } }],
    [`${key}-exec-none`, { [key]: { exec: {} } }],
    [`${key}-tcp-host`, { [key]: { tcpSocket: { port: "A B", host: "h" } } }],
    [`${key}-grpc-zero`, { [key]: { grpc: { port: 0 } } }],
  ]),
  ["hooks", { lifecycle: { postStart: { exec: { command: ["a"] } }, preStop: { httpGet: { port: 80 } } } }],
  ["hooks-sleep", { lifecycle: { preStop: { sleep: { seconds: 5 } } } }],
  ["hooks-sleep-zero", { lifecycle: { preStop: { sleep: { seconds: 0 } } } }],
  ["hooks-sleep-long", { lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: { sleep: { seconds: -1 } } } }],
  ["hooks-none", { lifecycle: { preStop: {} } }],
  ["hooks-two", { lifecycle: { preStop: { exec: { command: ["a"] }, sleep: { seconds: 1 } } } }],
  ["hooks-tcp", { lifecycle: { preStop: { tcpSocket: { port: 80 } } } }],
  ["hooks-empty", { lifecycle: {} }],
  ["stop-signal", { lifecycle: { stopSignal: "SIGUSR1" } }],
  [
    "security",
    {
      securityContext: {
        privileged: true,
        runAsUser: 0,
        runAsGroup: 0,
        runAsNonRoot: false,
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: true,
        procMount: "Default",
        capabilities: { add: ["A"], drop: ["ALL"] },
        seLinuxOptions: { level: "s0" },
        seccompProfile: { type: "RuntimeDefault" },
        appArmorProfile: { type: "Unconfined" },
      },
    },
  ],
  [
    "security-windows",
    {
      securityContext: {
        windowsOptions: {
          runAsUserName: "ContainerUser",
          gmsaCredentialSpecName: "a",
          gmsaCredentialSpec: "b",
          hostProcess: false,
        },
      },
    },
  ],
  [
    "security-windows-bad",
    {
      securityContext: { windowsOptions: { runAsUserName: "", gmsaCredentialSpecName: "A_", gmsaCredentialSpec: "" } },
    },
  ],
  ...[
    "a\\b",
    "a\\b\\c",
    "\\a",
    "a\\",
    "a/b",
    "a\u0001",
    "x".repeat(105),
    "d.e\\u",
    "D E\\u",
    "a\\.",
    "NT AUTHORITY\\SYSTEM",
  ].map(
    (runAsUserName) =>
      [
        `windows-user ${runAsUserName.slice(0, 20)}`,
        { securityContext: { windowsOptions: { runAsUserName } } },
      ] as const,
  ),
  [
    "security-bad",
    {
      securityContext: {
        runAsUser: -1,
        runAsGroup: 4294967296,
        procMount: "X",
        seccompProfile: { type: "Localhost" },
        appArmorProfile: { type: "Localhost", localhostProfile: " a" },
      },
    },
  ],
  ["privileged-escalation", { securityContext: { privileged: true, allowPrivilegeEscalation: false } }],
  [
    "sysadmin-escalation",
    { securityContext: { capabilities: { add: ["CAP_SYS_ADMIN"] }, allowPrivilegeEscalation: false } },
  ],
  ["unmasked", { securityContext: { procMount: "Unmasked" } }],
  ["seccomp-path", { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "../a" } } }],
  ["seccomp-extra", { securityContext: { seccompProfile: { type: "RuntimeDefault", localhostProfile: "a" } } }],
  [
    "apparmor-long",
    { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "x".repeat(4096) } } },
  ],
  ["apparmor-extra", { securityContext: { appArmorProfile: { type: "RuntimeDefault", localhostProfile: "x" } } }],
  [
    "mounts",
    {
      volumeMounts: [
        { name: "v", mountPath: "/a", readOnly: true, recursiveReadOnly: "IfPossible" },
        { name: "v", mountPath: "/b", subPath: "x", mountPropagation: "None" },
        { name: "v", mountPath: "/c", subPathExpr: "$(A)/x" },
      ],
    },
  ],
  [
    "mounts-bad",
    {
      volumeMounts: [
        { name: "zz", mountPath: "" },
        { name: "v", mountPath: "/a", subPath: "../a", subPathExpr: "/b" },
        { name: "v", mountPath: "/a", mountPropagation: "X" },
        { name: "v", mountPath: "/d", recursiveReadOnly: "Enabled" },
        {
          name: "v",
          mountPath: "/e",
          readOnly: true,
          recursiveReadOnly: "Enabled",
          mountPropagation: "HostToContainer",
        },
      ],
    },
  ],
  ["mount-propagation", { volumeMounts: [{ name: "v", mountPath: "/a", mountPropagation: "Bidirectional" }] }],
  [
    "mount-recursive",
    {
      volumeMounts: [
        { name: "v", mountPath: "/a", readOnly: true, recursiveReadOnly: "Enabled" },
        { name: "v", mountPath: "/b", readOnly: true, recursiveReadOnly: "Other" },
      ],
    },
  ],
  ["devices", { volumeDevices: [{ name: "v", devicePath: "/d" }] }],
  [
    "devices-claim",
    { volumeDevices: [{ name: "pvc", devicePath: "/d" }], volumeMounts: [{ name: "pvc", mountPath: "/d" }] },
  ],
  [
    "devices-bad",
    {
      volumeDevices: [
        { name: "zz", devicePath: "" },
        { name: "pvc", devicePath: "/../a" },
        { name: "pvc", devicePath: "/../a" },
      ],
    },
  ],
  ["termination", { terminationMessagePath: "/x", terminationMessagePolicy: "FallbackToLogsOnError" }],
  ["termination-bad", { terminationMessagePolicy: "X", imagePullPolicy: "Y" }],
  ["termination-empty", { terminationMessagePath: "", terminationMessagePolicy: "" }],
  ["image-latest", { image: "a:latest" }],
  ["image-tag", { image: "a:1" }],
  ["image-digest", { image: `a@sha256:${"a".repeat(64)}` }],
  ["image-space", { image: " a " }],
  ["image-empty", { image: "" }],
  ["image-upper", { image: "A/B:c" }],
  ["tty", { tty: true, stdin: true, stdinOnce: true, workingDir: "/w", command: ["a"], args: ["b"] }],
  ["restart-always", { restartPolicy: "Always" }],
  ["restart-never", { restartPolicy: "Never" }],
  ["restart-on-failure", { restartPolicy: "OnFailure" }],
  ["restart-bad", { restartPolicy: "X" }],
  [
    "restart-rules",
    {
      restartPolicy: "Never",
      restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1, 2] } }],
    },
  ],
  ["restart-rules-alone", { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }] }],
  [
    "restart-rules-bad",
    {
      restartPolicy: "Never",
      restartPolicyRules: [
        { action: "X" },
        { action: "Restart", exitCodes: { operator: "Y", values: [] } },
        { action: "RestartAllContainers", exitCodes: { operator: "NotIn", values: [1, 1] } },
      ],
    },
  ],
];

/** Volumes by source. */
const volumes: readonly Case[] = [
  ["empty", { emptyDir: {} }],
  ["empty-memory", { emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }],
  ["empty-pages", { emptyDir: { medium: "HugePages-2Mi" } }],
  ["empty-bad", { emptyDir: { medium: "X", sizeLimit: "-1" } }],
  ["none", {}],
  ["two", { emptyDir: {}, hostPath: { path: "/a" } }],
  ...["", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice", "X"].map(
    (type) => [`host ${type}`, { hostPath: { path: "/a", type } }] as const,
  ),
  ["host-up", { hostPath: { path: "/a/../b" } }],
  ["host-none", { hostPath: {} }],
  [
    "secret",
    { secret: { secretName: "s", optional: true, defaultMode: 256, items: [{ key: "k", path: "p", mode: 511 }] } },
  ],
  ["secret-bad", { secret: { secretName: "", defaultMode: 512, items: [{ key: "", path: "../x", mode: -1 }] } }],
  ["map", { configMap: { name: "c" } }],
  ["map-bad", { configMap: { defaultMode: -1, items: [{ key: "k", path: "/x" }] } }],
  [
    "map-items",
    {
      configMap: {
        name: "c",
        items: [
          { key: "k", path: "a/..b" },
          { key: "k", path: "a/b/.." },
        ],
      },
    },
  ],
  [
    "downward",
    {
      downwardAPI: {
        items: [
          { path: "a", fieldRef: { fieldPath: "metadata.labels" } },
          { path: "b", resourceFieldRef: { containerName: "c", resource: "limits.cpu", divisor: "1m" }, mode: 256 },
        ],
      },
    },
  ],
  [
    "downward-bad",
    {
      downwardAPI: {
        defaultMode: 512,
        items: [
          { path: "" },
          { path: "a", fieldRef: { fieldPath: "status.podIP" } },
          { path: "b", resourceFieldRef: { resource: "limits.cpu" } },
          {
            path: "c",
            fieldRef: { fieldPath: "metadata.name" },
            resourceFieldRef: { containerName: "c", resource: "x" },
            mode: 512,
          },
        ],
      },
    },
  ],
  ["downward-host-ips", { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "status.hostIPs" } }] } }],
  [
    "projected",
    {
      projected: {
        sources: [
          { serviceAccountToken: { path: "t" } },
          { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
          { configMap: { name: "c", optional: true } },
          { downwardAPI: { items: [{ path: "d", fieldRef: { fieldPath: "metadata.uid" } }] } },
        ],
      },
    },
  ],
  ["projected-empty", { projected: {} }],
  ["projected-none", { projected: { sources: [{}] } }],
  ["projected-two", { projected: { sources: [{ secret: { name: "s" }, configMap: { name: "c" } }] } }],
  [
    "projected-conflict",
    {
      projected: {
        sources: [
          { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
          { configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
        ],
      },
    },
  ],
  ...[599, 600, 4294967297].map(
    (expirationSeconds) =>
      [
        `projected-token ${String(expirationSeconds)}`,
        { projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds } }] } },
      ] as const,
  ),
  [
    "projected-token-path",
    { projected: { sources: [{ serviceAccountToken: { path: "" } }, { serviceAccountToken: { path: "/a" } }] } },
  ],
  ["projected-bundle", { projected: { sources: [{ clusterTrustBundle: { name: "b", path: "p" } }] } }],
  [
    "projected-bundle-signer",
    {
      projected: {
        sources: [{ clusterTrustBundle: { signerName: "a.example/b", labelSelector: {}, path: "p", optional: true } }],
      },
    },
  ],
  [
    "projected-certificate",
    {
      projected: {
        sources: [{ podCertificate: { signerName: "a.example/b", keyType: "ED25519", credentialBundlePath: "c" } }],
      },
    },
  ],
  ["claim", { persistentVolumeClaim: { claimName: "c", readOnly: true } }],
  ["claim-none", { persistentVolumeClaim: {} }],
  ["claim-bad", { persistentVolumeClaim: { claimName: "A_" } }],
  [
    "csi",
    {
      csi: {
        driver: "d.example",
        fsType: "ext4",
        readOnly: true,
        volumeAttributes: { a: "b" },
        nodePublishSecretRef: { name: "s" },
      },
    },
  ],
  ["csi-bad", { csi: { driver: "A_", nodePublishSecretRef: {} } }],
  ["csi-none", { csi: {} }],
  [
    "ephemeral",
    {
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      },
    },
  ],
  [
    "ephemeral-bad",
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { name: "x", labels: { "a b": "c" }, annotations: { a: "b" } },
          spec: { accessModes: [], resources: {} },
        },
      },
    },
  ],
  ["ephemeral-none", { ephemeral: {} }],
  [
    "ephemeral-class",
    {
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ["ReadWriteOncePod"],
            storageClassName: "x",
            volumeMode: "Block",
            volumeAttributesClassName: "v",
            dataSource: { kind: "VolumeSnapshot", name: "s", apiGroup: "snapshot.storage.k8s.io" },
            resources: { requests: { storage: "1Gi" }, limits: { storage: "2Gi" } },
          },
        },
      },
    },
  ],
  ["image", { image: { reference: "a:1", pullPolicy: "Always" } }],
  ["image-default", { image: { reference: "a" } }],
  ["image-latest", { image: { reference: "a:1" } }],
  ["image-bad", { image: { reference: "", pullPolicy: "X" } }],
  ["nfs", { nfs: { server: "s", path: "/p", readOnly: true } }],
  ["nfs-bad", { nfs: { server: "", path: "p" } }],
  [
    "iscsi",
    {
      iscsi: {
        targetPortal: "1.2.3.4",
        iqn: "iqn.2001-04.com.example:x",
        lun: 0,
        portals: ["a"],
        chapAuthDiscovery: true,
        secretRef: { name: "s" },
        initiatorName: "iqn.2001-04.com.example:y",
      },
    },
  ],
  ["iscsi-bad", { iscsi: { targetPortal: "", iqn: "x", lun: 256, chapAuthSession: true, initiatorName: "z" } }],
  ["fc", { fc: { targetWWNs: ["a"], lun: 1, fsType: "ext4" } }],
  ["fc-wwid", { fc: { wwids: ["a"] } }],
  ["fc-bad", { fc: { targetWWNs: ["a"], wwids: ["b"], lun: 300 } }],
  ["fc-none", { fc: {} }],
  ["rbd", { rbd: { monitors: ["m"], image: "i" } }],
  ["rbd-bad", { rbd: { monitors: [], image: "" } }],
  ["cephfs", { cephfs: { monitors: ["m"] } }],
  ["cephfs-bad", { cephfs: { monitors: [] } }],
  ["glusterfs", { glusterfs: { endpoints: "e", path: "p" } }],
  ["glusterfs-bad", { glusterfs: { endpoints: "", path: "" } }],
  ["flex", { flexVolume: { driver: "a/b", options: { a: "b" }, secretRef: { name: "s" } } }],
  ["flex-bad", { flexVolume: { driver: "", options: { "kubernetes.io/fsType": "x" } } }],
  ["flocker", { flocker: { datasetName: "d" } }],
  ["flocker-bad", { flocker: { datasetName: "a/b", datasetUUID: "u" } }],
  ["git", { gitRepo: { repository: "r", revision: "v", directory: "d" } }],
  ["git-bad", { gitRepo: { repository: "", directory: "../d" } }],
  ["aws", { awsElasticBlockStore: { volumeID: "v", partition: 1 } }],
  ["aws-bad", { awsElasticBlockStore: { volumeID: "", partition: 256 } }],
  ["gce", { gcePersistentDisk: { pdName: "p" } }],
  ["gce-bad", { gcePersistentDisk: { pdName: "", partition: -1 } }],
  ["azure-disk", { azureDisk: { diskName: "d", diskURI: "https://blob/x" } }],
  ["azure-disk-managed", { azureDisk: { diskName: "d", diskURI: "/subscriptions/x", kind: "Managed" } }],
  ["azure-disk-bad", { azureDisk: { diskName: "", diskURI: "x", kind: "Y", cachingMode: "Z" } }],
  ["azure-file", { azureFile: { secretName: "s", shareName: "n" } }],
  ["azure-file-bad", { azureFile: { secretName: "", shareName: "" } }],
  ["cinder", { cinder: { volumeID: "v", secretRef: { name: "s" } } }],
  ["cinder-bad", { cinder: { volumeID: "", secretRef: {} } }],
  ["vsphere", { vsphereVolume: { volumePath: "v" } }],
  ["vsphere-bad", { vsphereVolume: { volumePath: "" } }],
  ["photon", { photonPersistentDisk: { pdID: "p" } }],
  ["photon-bad", { photonPersistentDisk: { pdID: "" } }],
  ["portworx", { portworxVolume: { volumeID: "v" } }],
  ["portworx-bad", { portworxVolume: { volumeID: "" } }],
  ["quobyte", { quobyte: { registry: "a:1,b:2", volume: "v", tenant: "t" } }],
  ["quobyte-bad", { quobyte: { registry: "", volume: "", tenant: "x".repeat(66) } }],
  ["scaleio", { scaleIO: { gateway: "g", system: "s", volumeName: "v", secretRef: { name: "x" } } }],
  ["scaleio-bad", { scaleIO: { gateway: "", system: "", volumeName: "", secretRef: {} } }],
  ["storageos", { storageos: { volumeName: "v", volumeNamespace: "n", secretRef: { name: "s" } } }],
  ["storageos-bad", { storageos: { volumeName: "A_", volumeNamespace: "B_", secretRef: {} } }],
];

const term = (more: Json = {}): Json => ({ topologyKey: "k", labelSelector: { matchLabels: { a: "b" } }, ...more });
const spread = (more: Json = {}): Json => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "k",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: { a: "b" } },
      ...more,
    },
  ],
});

/** Fields of a pod. */
const specs: readonly Case[] = [
  ["os-linux", { os: { name: "linux" }, securityContext: { runAsUser: 1 } }],
  [
    "os-linux-windows-options",
    {
      os: { name: "linux" },
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [c({ securityContext: { windowsOptions: { runAsUserName: "x" } } })],
    },
  ],
  ["os-bad", { os: { name: "mac" } }],
  ["os-empty", { os: {} }],
  ["os-windows", { os: { name: "windows" } }],
  [
    "os-windows-linux-fields",
    {
      os: { name: "windows" },
      hostPID: true,
      hostIPC: true,
      hostUsers: false,
      shareProcessNamespace: true,
      securityContext: {
        appArmorProfile: { type: "Unconfined" },
        seLinuxOptions: {},
        seccompProfile: { type: "Unconfined" },
        fsGroup: 1,
        fsGroupChangePolicy: "Always",
        sysctls: [{ name: "a", value: "b" }],
        runAsUser: 1,
        runAsGroup: 1,
        supplementalGroups: [1],
        supplementalGroupsPolicy: "Merge",
        seLinuxChangePolicy: "Recursive",
      },
      containers: [
        c({
          securityContext: {
            privileged: true,
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: true,
            procMount: "Default",
            runAsUser: 1,
            runAsGroup: 1,
            seLinuxOptions: {},
            seccompProfile: { type: "Unconfined" },
            capabilities: {},
            appArmorProfile: { type: "Unconfined" },
          },
        }),
      ],
    },
  ],
  ["windows-resources", { os: { name: "windows" }, resources: { limits: { cpu: "1" } } }],
  [
    "host-process",
    {
      os: { name: "windows" },
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" } },
    },
  ],
  ["host-process-no-network", { os: { name: "windows" }, securityContext: { windowsOptions: { hostProcess: true } } }],
  [
    "host-process-mixed",
    {
      os: { name: "windows" },
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [c({ securityContext: { windowsOptions: { hostProcess: false } } }), c({}, "d")],
    },
  ],
  [
    "host-process-partial",
    { hostNetwork: true, containers: [c({ securityContext: { windowsOptions: { hostProcess: true } } }), c({}, "d")] },
  ],
  [
    "claims",
    {
      resourceClaims: [
        { name: "a", resourceClaimName: "x" },
        { name: "b", resourceClaimTemplateName: "y" },
      ],
      containers: [c({ resources: { claims: [{ name: "a" }, { name: "b", request: "r" }] } })],
    },
  ],
  [
    "claims-bad",
    {
      resourceClaims: [
        { name: "a" },
        { name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" },
        { name: "A B", resourceClaimName: "X_" },
        { name: "", resourceClaimTemplateName: "" },
      ],
    },
  ],
  ["pod-resources", { resources: { limits: { cpu: "1", memory: "1Gi" } } }],
  [
    "pod-resources-requests",
    {
      resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } },
      containers: [c({ resources: { requests: { cpu: "500m" } } })],
    },
  ],
  [
    "pod-resources-bad",
    { resources: { limits: { "ephemeral-storage": "1Gi", "example.com/x": "1" }, claims: [{ name: "a" }] } },
  ],
  [
    "pod-resources-less",
    {
      resources: { requests: { cpu: "1" }, limits: { cpu: "1" } },
      containers: [c({ resources: { requests: { cpu: "2" }, limits: { cpu: "3" } } })],
    },
  ],
  ["pod-hugepages", { resources: { limits: { "hugepages-2Mi": "2Mi", cpu: "1" } } }],
  ["pod-resources-swap", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }],
  [
    "init",
    {
      initContainers: [
        c({}, "i"),
        c({ restartPolicy: "Always", readinessProbe: tcp, lifecycle: { preStop: { exec: { command: ["a"] } } } }, "s"),
      ],
    },
  ],
  ["init-probe", { initContainers: [c({ readinessProbe: tcp, lifecycle: {} }, "i")] }],
  ["init-same", { initContainers: [c()] }],
  ["init-policy", { initContainers: [c({ restartPolicy: "Never" }, "i"), c({ restartPolicy: "OnFailure" }, "j")] }],
  [
    "init-ports",
    {
      initContainers: [c({ ports: [{ containerPort: 80, hostPort: 80 }] }, "i")],
      containers: [c({ ports: [{ containerPort: 80, hostPort: 80 }] })],
    },
  ],
  ["ephemeral", { ephemeralContainers: [c({}, "e")] }],
  ["two-containers", { containers: [c(), c()] }],
  ["no-containers", { containers: [] }],
  ["host-network", { hostNetwork: true, containers: [c({ ports: [{ containerPort: 80 }] })] }],
  ["host-network-other", { hostNetwork: true, containers: [c({ ports: [{ containerPort: 80, hostPort: 81 }] })] }],
  ["host-users", { hostUsers: false }],
  ["host-users-network", { hostUsers: false, hostNetwork: true }],
  ["host-users-pid", { hostUsers: false, hostPID: true, hostIPC: true }],
  ["host-users-true", { hostUsers: true, hostNetwork: true }],
  [
    "host-users-device",
    {
      hostUsers: false,
      volumes: [{ name: "p", persistentVolumeClaim: { claimName: "x" } }],
      containers: [c({ volumeDevices: [{ name: "p", devicePath: "/d" }] })],
    },
  ],
  ["share", { shareProcessNamespace: true, hostPID: true }],
  ["hostname", { hostname: "h", subdomain: "s", setHostnameAsFQDN: true }],
  ["hostname-override", { hostnameOverride: "a.b.c" }],
  ["hostname-override-bad", { hostnameOverride: "A_" }],
  ["hostname-override-network", { hostnameOverride: "a", hostNetwork: true, setHostnameAsFQDN: true }],
  ["hostname-override-long", { hostnameOverride: "a".repeat(65) }],
  [
    "dns",
    {
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["1.1.1.1"], searches: ["a.b"], options: [{ name: "o" }, { name: "p", value: "1" }] },
    },
  ],
  ["dns-default", { dnsPolicy: "Default" }],
  ["dns-host", { dnsPolicy: "ClusterFirstWithHostNet" }],
  ["dns-bad", { dnsPolicy: "X" }],
  ["dns-none", { dnsPolicy: "None" }],
  ["dns-empty", { dnsPolicy: "None", dnsConfig: {} }],
  [
    "dns-config",
    {
      dnsConfig: {
        nameservers: ["x", "1.1.1.1", "2.2.2.2", "3.3.3.3"],
        searches: ["A_", "a.b.", ".", "_x.y"],
        options: [{}, { name: "" }],
      },
    },
  ],
  ["restart", { restartPolicy: "Never" }],
  ["restart-bad", { restartPolicy: "X" }],
  ["deadline", { activeDeadlineSeconds: 5 }],
  ["grace-zero", { terminationGracePeriodSeconds: 0 }],
  ["grace-negative", { terminationGracePeriodSeconds: -1 }],
  [
    "grace-hook",
    { terminationGracePeriodSeconds: 5, containers: [c({ lifecycle: { preStop: { sleep: { seconds: 6 } } } })] },
  ],
  ["links", { enableServiceLinks: false }],
  ["token", { automountServiceAccountToken: false, serviceAccountName: "default" }],
  ["service-account-old", { serviceAccount: "default" }],
  ["service-account-missing", { serviceAccountName: "none" }],
  ["scheduler", { schedulerName: "x" }],
  ["scheduler-empty", { schedulerName: "" }],
  ["priority", { priority: 5 }],
  ["priority-class", { priorityClassName: "system-node-critical" }],
  ["priority-none", { priorityClassName: "none" }],
  ["preemption", { preemptionPolicy: "Never" }],
  ["preemption-bad", { preemptionPolicy: "X" }],
  ["overhead", { overhead: { cpu: "1" } }],
  ["runtime", { runtimeClassName: "none" }],
  ["gates", { schedulingGates: [{ name: "a.b/c" }, { name: "d" }] }],
  ["gates-bad", { schedulingGates: [{ name: "a" }, { name: "a" }, { name: "A B" }] }],
  ["gates-node", { schedulingGates: [{ name: "a" }], nodeName: "n" }],
  ["readiness", { readinessGates: [{ conditionType: "a/b" }, { conditionType: "a/b" }] }],
  ["scheduling-group", { schedulingGroup: { podGroupName: "g" } }],
  ["workload", { workloadRef: { name: "w", podGroup: "g" } }],
  [
    "security",
    {
      securityContext: {
        runAsUser: 1,
        runAsGroup: 2,
        fsGroup: 3,
        supplementalGroups: [4, 4],
        fsGroupChangePolicy: "OnRootMismatch",
        supplementalGroupsPolicy: "Strict",
        runAsNonRoot: true,
        seccompProfile: { type: "Localhost", localhostProfile: "a" },
        appArmorProfile: { type: "RuntimeDefault" },
        sysctls: [{ name: "net.ipv4.x", value: "1" }],
        seLinuxChangePolicy: "Recursive",
      },
    },
  ],
  [
    "security-bad",
    {
      securityContext: {
        fsGroup: -1,
        supplementalGroups: [-1],
        fsGroupChangePolicy: "X",
        supplementalGroupsPolicy: "Y",
        seLinuxChangePolicy: "MountOption",
        sysctls: [
          { name: "", value: "" },
          { name: "A B", value: "" },
          { name: "a.b", value: "" },
          { name: "a.b", value: "" },
          { name: "x".repeat(254), value: "" },
        ],
        runAsUser: -5,
      },
    },
  ],
  [
    "sysctl-slash",
    {
      securityContext: {
        sysctls: [
          { name: "net/ipv4/a.b", value: "1" },
          { name: "a//b", value: "1" },
        ],
      },
    },
  ],
  [
    "sysctl-host",
    {
      hostNetwork: true,
      hostIPC: true,
      securityContext: {
        sysctls: [
          { name: "net.a", value: "1" },
          { name: "kernel.shm_a", value: "1" },
        ],
      },
    },
  ],
  [
    "tolerations",
    {
      tolerations: [
        {},
        { operator: "Exists" },
        { key: "a" },
        { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
        { key: "b", operator: "Equal", value: "c", effect: "NoSchedule" },
      ],
    },
  ],
  [
    "tolerations-exists",
    {
      tolerations: [
        { operator: "Exists" },
        { key: "a" },
        { key: "b", operator: "Exists", effect: "NoExecute", tolerationSeconds: -5 },
      ],
    },
  ],
  ["tolerations-lt", { tolerations: [{ key: "a", operator: "Lt", value: "5", effect: "NoSchedule" }] }],
  [
    "tolerations-bad",
    { tolerations: [{ key: "a b", operator: "X", effect: "Y", value: "z z", tolerationSeconds: 1 }] },
  ],
  ["node-selector", { nodeSelector: { a: "b", "c.d/e": "" } }],
  ["node-name", { nodeName: "n" }],
  ["pull-secrets", { imagePullSecrets: [{ name: "a" }, { name: "a" }, {}] }],
  ["aliases", { hostAliases: [{ ip: "1.1.1.1", hostnames: ["a", "b.c"] }, { ip: "1.1.1.1" }] }],
  [
    "affinity",
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            term({ namespaces: ["a"], namespaceSelector: {}, matchLabelKeys: ["x"], mismatchLabelKeys: ["y"] }),
          ],
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: term() }],
        },
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "k" }] },
      },
    },
  ],
  [
    "affinity-bad",
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: "" },
            term({ namespaces: ["A_"], matchLabelKeys: ["a", "a b"], mismatchLabelKeys: ["a"] }),
            { topologyKey: "k", matchLabelKeys: ["x"] },
          ],
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 0,
              podAffinityTerm: term({ labelSelector: { matchExpressions: [{ key: "a", operator: "X" }] } }),
            },
          ],
        },
      },
    },
  ],
  ["affinity-empty", { affinity: {} }],
  [
    "affinity-keys",
    {
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term({ matchLabelKeys: ["app"] })] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: term({ mismatchLabelKeys: ["app", "tier"] }) },
          ],
        },
      },
    },
  ],
  [
    "node-affinity",
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{}, { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: {} },
            { weight: 101, preference: { matchExpressions: [{ key: "a", operator: "In", values: ["x y"] }] } },
          ],
        },
      },
    },
  ],
  ["spread", spread({ minDomains: 2, nodeAffinityPolicy: "Ignore", nodeTaintsPolicy: "Honor", matchLabelKeys: ["x"] })],
  [
    "spread-bad",
    spread({
      maxSkew: 0,
      topologyKey: "",
      whenUnsatisfiable: "X",
      minDomains: 0,
      nodeAffinityPolicy: "A",
      nodeTaintsPolicy: "B",
      matchLabelKeys: ["a", "b c", "b c"],
    }),
  ],
  ["spread-anyway", spread({ whenUnsatisfiable: "ScheduleAnyway", minDomains: 2 })],
  [
    "spread-no-selector",
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["a"] },
        { maxSkew: 1, topologyKey: "k", whenUnsatisfiable: "DoNotSchedule" },
      ],
    },
  ],
  ["spread-keys", spread({ matchLabelKeys: ["app"] })],
];

const labelled = { labels: { app: "web", tier: "x" }, annotations: { a: "b" } };
const volume = [
  { name: "v", emptyDir: {} },
  { name: "pvc", persistentVolumeClaim: { claimName: "x" } },
];
const withClaims = { resourceClaims: [{ name: "rc", resourceClaimName: "x" }], volumes: volume };
const created = (id: string, spec: Json): Probe => one(id, post(`${pods}?dryRun=All`, pod("p", spec, labelled)));

/** Every field of pods with valid and invalid values. */
export const podFields: Topic = {
  name: "pod-fields",
  setup: [],
  probes: [
    ...containers.map(([name, more]) => created(`container/${name}`, { ...withClaims, containers: [c(more)] })),
    ...containers
      .filter(([name]) => /^(restart|livenessProbe|hooks|resize|stop)/.test(name))
      .map(([name, more]) =>
        created(`sidecar/${name}`, {
          ...withClaims,
          restartPolicy: "Never",
          initContainers: [c({ restartPolicy: "Always", ...more }, "side")],
          containers: [c()],
        }),
      ),
    ...volumes.map(([name, more]) =>
      created(`volume/${name}`, { volumes: [{ name: "v", ...more }], containers: [c()] }),
    ),
    ...specs.map(([name, more]) => created(`spec/${name}`, more)),
    one("ephemeral/first", quiet(post(pods, pod("eph", withClaims, labelled)))),
    ...containers.map(([name, more]) =>
      one(
        `ephemeral/${name}`,
        patch(`${pods}/eph/ephemeralcontainers?dryRun=All`, "strategic", {
          spec: { ephemeralContainers: [c(more, "debug")] },
        }),
      ),
    ),
    one(
      "ephemeral/target",
      ...[
        { targetContainerName: "c" },
        { targetContainerName: "zz" },
        { targetContainerName: "debug" },
        { name: "c" },
        { name: "" },
        { name: "A" },
      ].map((more) =>
        patch(`${pods}/eph/ephemeralcontainers?dryRun=All`, "strategic", {
          spec: { ephemeralContainers: [{ ...c({}, "debug"), ...more }] },
        }),
      ),
    ),
    one(
      "ephemeral/changes",
      patch(`${pods}/eph/ephemeralcontainers`, "strategic", {
        spec: { ephemeralContainers: [c({ command: ["a"] }, "debug")] },
      }),
      patch(`${pods}/eph/ephemeralcontainers`, "strategic", {
        spec: { ephemeralContainers: [c({ command: ["b"] }, "debug")] },
      }),
      patch(`${pods}/eph/ephemeralcontainers`, "strategic", {
        spec: { ephemeralContainers: [c({ ports: [], tty: true }, "more")] },
      }),
      patch(`${pods}/eph/ephemeralcontainers`, "merge", { spec: { ephemeralContainers: [] } }),
      put(`${pods}/eph/ephemeralcontainers`, pod("eph", withClaims, labelled)),
      patch(`${pods}/eph`, "strategic", { spec: { ephemeralContainers: [c({}, "x")] } }),
    ),
    one("ephemeral/last", quiet(remove(`${pods}/eph?gracePeriodSeconds=0`))),
  ],
};
