import type { Topic } from "../../probe.js";
import { get, type Json, one, patch, post, quiet, remove } from "./steps.js";

const path = "/api/v1/persistentvolumes";
const volume = (name: string, source: Json, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...source, ...more },
});

/** Valid volumes of each type, with invalid changes. */
const sources: Readonly<Record<string, readonly [base: Json, ...changes: Json[]]>> = {
  rbd: [{ monitors: ["m"], image: "i" }, { monitors: [] }, { image: "" }],
  cephfs: [{ monitors: ["m"] }, { monitors: [] }, { path: "x" }],
  cinder: [{ volumeID: "v" }, { volumeID: "" }],
  flexVolume: [
    { driver: "a/b" },
    { driver: "" },
    { options: { "kubernetes.io/x": "a" } },
    { options: { "a.K8S.io/x": "a", b: "c" } },
  ],
  scaleIO: [{ gateway: "g", system: "s", volumeName: "v" }, { gateway: "" }, { system: "" }, { volumeName: "" }],
  storageos: [{ volumeName: "v" }, { volumeName: "" }, { volumeName: "A" }, { volumeNamespace: "A_" }],
  iscsi: [
    { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:storage.disk1", lun: 0 },
    { targetPortal: "" },
    { iqn: "x" },
    { iqn: "iqn.x" },
    { iqn: "eui.x" },
    { lun: 256 },
    { chapAuthSession: true },
    { chapAuthDiscovery: true },
    { initiatorName: "x" },
    { initiatorName: "iqn.x" },
    { initiatorName: "naa.x" },
    { initiatorName: "iqn.2001-04.com.example:storage.disk1", targetPortal: "a".repeat(64) },
  ],
  azureFile: [
    { secretName: "s", shareName: "n" },
    { secretName: "" },
    { shareName: "" },
    { secretNamespace: "" },
    { secretNamespace: "A_" },
  ],
  glusterfs: [
    { endpoints: "e", path: "p" },
    { endpoints: "" },
    { path: "" },
    { endpointsNamespace: "" },
    { endpointsNamespace: "A_" },
  ],
  csi: [
    { driver: "d", volumeHandle: "h" },
    { driver: "" },
    { driver: "a_b" },
    { volumeHandle: "" },
    ...[
      "controllerPublishSecretRef",
      "controllerExpandSecretRef",
      "nodePublishSecretRef",
      "nodeExpandSecretRef",
      "nodeStageSecretRef",
    ].flatMap((key) => [{ [key]: {} }, { [key]: { name: "a" } }, { [key]: { name: "A_", namespace: "B_" } }]),
  ],
  vsphereVolume: [{ volumePath: "p" }, { volumePath: "" }],
  photonPersistentDisk: [{ pdID: "p" }, { pdID: "" }],
  portworxVolume: [{ volumeID: "p" }, { volumeID: "" }],
  flocker: [{ datasetName: "d" }, { datasetUUID: "u" }, { datasetName: "a/b" }, { datasetName: "" }],
  quobyte: [
    { registry: "r:1", volume: "v" },
    { registry: "r" },
    { volume: "" },
    { registry: "" },
    { tenant: "t".repeat(65) },
  ],
  fc: [{ targetWWNs: ["w"], lun: 1 }, { lun: 300 }, { lun: null }, { wwids: ["x"] }, { targetWWNs: [] }],
  gcePersistentDisk: [{ pdName: "p" }, { pdName: "" }, { partition: 256 }],
  awsElasticBlockStore: [{ volumeID: "p" }, { volumeID: "" }, { partition: -1 }],
  azureDisk: [
    { diskName: "d", diskURI: "u" },
    { kind: "Managed" },
    { kind: "Shared" },
    { cachingMode: "x" },
    { kind: "x" },
    { diskName: "" },
  ],
  nfs: [{ server: "s", path: "/p" }, { server: "" }, { path: "" }, { path: "p" }],
  hostPath: [{ path: "/p" }, { path: "" }, { path: "/a/../b" }, { type: "x" }, { type: "" }],
  local: [{ path: "/p" }, { path: "" }, { path: "/a/../b" }],
};
const withSecret = new Set(["rbd", "cephfs", "cinder", "flexVolume", "scaleIO", "storageos", "iscsi"]);
const secretChanges: readonly Json[] = [
  { secretRef: {} },
  { secretRef: { name: "s" } },
  { secretRef: { namespace: "n" } },
  { secretRef: { name: "s", namespace: "n" } },
  { secretRef: { name: "A_", namespace: "B_" } },
];
const affinity: Json = {
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["n"] }] }],
    },
  },
};

const others: Readonly<Record<string, Json>> = {
  recycle: { persistentVolumeReclaimPolicy: "Recycle" },
  "bad-reclaim": { persistentVolumeReclaimPolicy: "x" },
  "no-modes": { accessModes: [] },
  "pod-and-more": { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] },
  "bad-mode": { accessModes: ["x"] },
  "no-capacity": { capacity: {} },
  "other-capacity": { capacity: { cpu: "1" } },
  "both-capacity": { capacity: { cpu: "1", storage: "1Gi" } },
  "zero-capacity": { capacity: { storage: "0" } },
  "negative-capacity": { capacity: { storage: "-1" } },
  "bad-class": { storageClassName: "A_" },
  "bad-volume-mode": { volumeMode: "x" },
  "mount-options": { mountOptions: ["a", "a"] },
  "empty-affinity": { nodeAffinity: {} },
  "no-terms": { nodeAffinity: { required: { nodeSelectorTerms: [] } } },
  attributes: { volumeAttributesClassName: "a" },
  "no-attributes": { volumeAttributesClassName: "" },
  claim: { claimRef: { name: "c", namespace: "n", kind: "PersistentVolumeClaim" } },
  "empty-claim": { claimRef: {} },
  two: { nfs: { server: "s", path: "/" } },
  none: { hostPath: null },
};

const change = (source: string, base: Json, changed: Json): readonly [Json, Json] => [
  { [source]: { ...base, ...changed } },
  source === "local" ? affinity : {},
];

/** PersistentVolumes of every type, new and changed. */
export const volumeScenarios: Topic = {
  name: "volumes",
  probes: [
    ...Object.entries(sources).flatMap(([source, [base, ...changes]]) =>
      [{}, ...changes, ...(withSecret.has(source) ? secretChanges : [])].flatMap((changed) => [
        one(
          `new/${source} ${JSON.stringify(changed)}`,
          post(`${path}?dryRun=All`, volume("v-${ns}", ...change(source, base, changed))),
        ),
      ]),
    ),
    ...Object.entries(others).map(([name, spec]) =>
      one(`other/${name}`, post(`${path}?dryRun=All`, volume("v-${ns}", { hostPath: { path: "/p" } }, spec))),
    ),
    ...Object.entries(sources).flatMap(([source, [base, ...changes]]) =>
      [
        ...changes.slice(0, 2),
        ...(withSecret.has(source) ? secretChanges.slice(3) : []),
        ...(source === "csi"
          ? changes.slice(6, 9).concat({ controllerExpandSecretRef: { name: "a", namespace: "b" } })
          : []),
      ].map((changed) =>
        one(
          `changed/${source} ${JSON.stringify(changed)}`,
          quiet(post(path, volume("w-${ns}", ...change(source, base, {})))),
          patch(`${path}/w-\${ns}`, "merge", { spec: { [source]: changed } }),
          get(`${path}/w-\${ns}`),
          quiet(patch(`${path}/w-\${ns}`, "merge", { metadata: { finalizers: null } })),
          quiet(remove(`${path}/w-\${ns}`)),
        ),
      ),
    ),
  ],
};
