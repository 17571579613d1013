import { describe, expect, it } from "vitest";
import { validatePod } from "../../../../src/apiserver/kinds/core/pod/pod-errors.js";
import type { Pod, PodSpec } from "../../../../src/kinds/core/v1.js";

const spec = (more: object): PodSpec =>
  ({
    serviceAccountName: "s",
    terminationGracePeriodSeconds: 30,
    restartPolicy: "Always",
    containers: [{ name: "c", image: "i", ...("container" in more ? (more.container as object) : {}) }],
    ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "container")),
  }) as PodSpec;
const term = { topologyKey: "zone", labelSelector: {} };
const node = (requirement: object): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [requirement] } } },
});
const needed = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const volume = (source: object): object => ({ volumes: [{ name: "v", ...source }] });

/** Errors of kube-apiserver: reason without its prefix, and field. */
const rows: readonly (readonly [more: object, errors: readonly string[]])[] = [
  [{}, []],
  [node({ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }), []],
  [node({ matchExpressions: [{ key: "a", operator: "In" }] }), [`Required ${needed}[0].matchExpressions[0].values`]],
  [
    node({ matchExpressions: [{ key: "a", operator: "Gt", values: ["1", "2"] }] }),
    [`Required ${needed}[0].matchExpressions[0].values`],
  ],
  [
    node({ matchExpressions: [{ key: "a b", operator: "Near" }] }),
    [`Invalid ${needed}[0].matchExpressions[0].operator`, `Invalid ${needed}[0].matchExpressions[0].key`],
  ],
  [
    node({ matchFields: [{ key: "spec.x", operator: "In", values: ["b"] }] }),
    [`Invalid ${needed}[0].matchFields[0].key`],
  ],
  [
    {
      affinity: {
        podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: term }] },
      },
    },
    ["Invalid spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight"],
  ],
  [
    { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "" }] } } },
    [
      "Required spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
      "Invalid spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
      "Invalid spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey",
    ],
  ],
  [
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "z", whenUnsatisfiable: "Maybe", minDomains: 0 }] },
    [
      "Invalid spec.topologySpreadConstraints[0].maxSkew",
      "NotSupported spec.topologySpreadConstraints[0].whenUnsatisfiable",
      "Invalid spec.topologySpreadConstraints[0].minDomains",
      "Invalid spec.topologySpreadConstraints[0].minDomains",
    ],
  ],
  [
    { securityContext: { runAsUser: -1, sysctls: [{ name: "a b" }], seccompProfile: { type: "Localhost" } } },
    [
      "Invalid spec.securityContext.runAsUser",
      "Invalid spec.securityContext.sysctls[0].name",
      "Required spec.securityContext.seccompProfile.localhostProfile",
    ],
  ],
  [
    { container: { securityContext: { privileged: true, allowPrivilegeEscalation: false } } },
    ["Invalid spec.containers[0].securityContext"],
  ],
  [volume({ configMap: { name: "c", defaultMode: 512 } }), ["Invalid spec.volumes[0].configMap.defaultMode"]],
  [
    { ...volume({ secret: {} }), container: { volumeMounts: [{ name: "v", mountPath: "/v" }] } },
    ["Required spec.volumes[0].secret.secretName", "NotFound spec.containers[0].volumeMounts[0].name"],
  ],
  [
    volume({ nfs: { server: "", path: "x" } }),
    ["Required spec.volumes[0].nfs.server", "Invalid spec.volumes[0].nfs.path"],
  ],
  [
    volume({ downwardAPI: { items: [{ path: "../x", fieldRef: { apiVersion: "v1", fieldPath: "spec.x" } }] } }),
    ["Invalid spec.volumes[0].downwardAPI.path", "Invalid spec.volumes[0].downwardAPI.fieldRef.fieldPath"],
  ],
  [
    {
      ...volume({ projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 5 } }] } }),
      serviceAccountName: "",
    },
    [
      "Invalid spec.volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds",
      "Forbidden spec.volumes[0].projected.sources[0].serviceAccountToken",
    ],
  ],
  [
    { ...volume({ emptyDir: {} }), container: { volumeDevices: [{ name: "v", devicePath: "" }] } },
    ["Invalid spec.containers[0].volumeDevices[0].name", "Required spec.containers[0].volumeDevices[0].devicePath"],
  ],
  [
    { container: { lifecycle: { preStop: { sleep: { seconds: 31 } } } } },
    ["Invalid spec.containers[0].lifecycle.preStop.sleep"],
  ],
  [
    { container: { livenessProbe: { httpGet: { port: 80, path: "/", httpHeaders: [{ name: "a b", value: "" }] } } } },
    ["Invalid spec.containers[0].livenessProbe.httpGet.httpHeaders"],
  ],
  [
    {
      container: {
        env: [{ name: "A", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.schedulerName" } } }],
      },
    },
    ["NotSupported spec.containers[0].env[0].valueFrom.fieldRef.fieldPath"],
  ],
  [
    { hostAliases: [{ ip: "1.2.3", hostnames: ["A"] }] },
    ["Invalid spec.hostAliases[0].ip", "Invalid spec.hostAliases[0].hostnames[0]"],
  ],
  [
    { dnsPolicy: "None", dnsConfig: { nameservers: ["::1"], searches: ["_a.b", "A"], options: [{}] } },
    ["Invalid spec.dnsConfig.searches[1]", "Required spec.dnsConfig.options[0]"],
  ],
  [{ tolerations: [{ operator: "Exists", effect: "Never" }] }, ["NotSupported spec.tolerations[0].effect"]],
];

describe("validation of a pod with", () => {
  it.each(rows.map(([more, errors]) => [JSON.stringify(more), more, errors] as const))("%s", (_, more, errors) => {
    const pod: Pod = { spec: spec(more) };
    const found = validatePod(pod).map(({ type, field }) => `${type.replace("FieldValue", "")} ${field}`);
    expect([...found].sort()).toEqual([...errors].sort());
  });
});
