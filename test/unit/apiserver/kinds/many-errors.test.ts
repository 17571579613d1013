// Responses show about a thousand errors, and far fewer warnings. Hostile bodies hold hundreds of thousands.
import { expect, it } from "vitest";
import { failurePolicyErrors } from "../../../../src/apiserver/kinds/batch/job/job-policies.js";
import { keyErrors } from "../../../../src/apiserver/kinds/core/data-errors.js";
import { limitRange } from "../../../../src/apiserver/kinds/core/limit-range.js";
import { namespace } from "../../../../src/apiserver/kinds/core/namespace.js";
import { node } from "../../../../src/apiserver/kinds/core/node.js";
import { podClaimErrors, usedClaimErrors } from "../../../../src/apiserver/kinds/core/pod/pod-resource-errors.js";
import { validatePodSpec } from "../../../../src/apiserver/kinds/core/pod/pod-spec-errors.js";
import { podWarnings } from "../../../../src/apiserver/kinds/core/pod/pod-warnings.js";
import { clusterErrors, validateServiceStatus } from "../../../../src/apiserver/kinds/core/service/service-errors.js";
import { serviceWarnings } from "../../../../src/apiserver/kinds/core/service/service-warnings.js";
import { accessModeErrors } from "../../../../src/apiserver/kinds/core/volume/persistent-volume-claim.js";
import { validateVolumes } from "../../../../src/apiserver/kinds/core/volume/volume-errors.js";
import { duplicates, labels } from "../../../../src/apiserver/kinds/shared/checks.js";
import type { KindDefinition } from "../../../../src/apiserver/kinds/shared/kind-definition.js";
import { csiDriver } from "../../../../src/apiserver/kinds/storage/csi-driver.js";
import { csiNode } from "../../../../src/apiserver/kinds/storage/csi-node.js";
import { validateMetadata } from "../../../../src/apiserver/objects/validate-metadata.js";
import type { JobSpec, PodFailurePolicyRule } from "../../../../src/kinds/batch/v1.js";
import type { PodSpec } from "../../../../src/kinds/core/v1.js";

const many = 10_000;
const list = <T>(item: T): T[] => new Array<T>(many).fill(item);
const map = (key: string, value = ""): Record<string, string> =>
  Object.fromEntries(Array.from({ length: many }, (_, at) => [`${key}${String(at)}`, value]));
const container = { name: "c", image: "i" };
const spec = (fields: Partial<PodSpec>): PodSpec => ({ containers: [container], ...fields });
const job = (fields: Partial<JobSpec>): JobSpec => ({ template: { spec: spec({}) }, ...fields });
const rule: PodFailurePolicyRule = { action: "Ignore", onExitCodes: { operator: "In", values: list(0) } };
const created = ({ validate }: KindDefinition, spec: object): readonly unknown[] =>
  validate!.create!({ spec }, {} as never);
const ip = "01.2.3.4";

it.each<[what: string, run: () => { readonly length: number }]>([
  ["volumes", () => validateVolumes(list({ name: "" }), "spec.volumes", true).errors],
  ["init containers", () => validatePodSpec(spec({ initContainers: list({ name: "", image: "" }) }), "spec")],
  [
    "rules of a job",
    () => failurePolicyErrors(job({ podFailurePolicy: { rules: list({ action: "Ignore" }) } }), "spec"),
  ],
  ["exit codes", () => failurePolicyErrors(job({ podFailurePolicy: { rules: [rule] } }), "spec")],
  ["finalizers", () => validateMetadata({ finalizers: list("") })],
  ["labels", () => validateMetadata({ labels: map("/") })],
  ["annotations", () => validateMetadata({ annotations: map("/") })],
  ["owners", () => validateMetadata({ ownerReferences: list({ apiVersion: "", kind: "", name: "", uid: "" }) })],
  ["claims", () => podClaimErrors(list({ name: "" }), "spec.resourceClaims")],
  ["claims of a container", () => usedClaimErrors(list({ name: "" }), new Set(), "claims")],
  ["labels of a selector", () => labels("spec.selector", map("/"))],
  ["keys of data", () => keyErrors("data", map("/"))],
  ["names of limits", () => created(limitRange, { limits: [{ type: "Container", max: map("/") }] })],
  [
    "limits of a ratio",
    () => created(limitRange, { limits: [{ type: "Container", maxLimitRequestRatio: map("a/", "0") }] }),
  ],
  ["finalizers of a namespace", () => created(namespace, { finalizers: list("") })],
  ["ranges of a node", () => created(node, { podCIDRs: list("") })],
  ["families", () => clusterErrors({ ipFamilies: list("") }, [])],
  ["cluster addresses", () => clusterErrors({ clusterIPs: list("") }, [])],
  [
    "ingress points",
    () =>
      validateServiceStatus(
        { spec: { type: "LoadBalancer" }, status: { loadBalancer: { ingress: list({ ip }) } } },
        {},
      ),
  ],
  ["lifecycle modes of a driver", () => created(csiDriver, { volumeLifecycleModes: list("") })],
  [
    "topology keys of a node",
    () => created(csiNode, { drivers: [{ name: "a", nodeID: "a", topologyKeys: list("") }] }),
  ],
  ["repeated values", () => duplicates(list(""), String)],
  ["access modes", () => accessModeErrors(list(""), "spec")],
  ["addresses of a service", () => serviceWarnings({ spec: { externalIPs: list(ip) } })],
  ["source ranges of a service", () => serviceWarnings({ spec: { loadBalancerSourceRanges: list("FE80::/10") } })],
  ["empty pull secrets", () => podWarnings(spec({ imagePullSecrets: list({}) }), {}, "")],
  ["host aliases", () => podWarnings(spec({ hostAliases: list({ ip: "01.2.3.4", hostnames: [] }) }), {}, "")],
])("validation of 10,000 wrong %s stops after a few thousand errors", (_what, run) => {
  const { length } = run();
  expect(length).toBeGreaterThan(900);
  expect(length).toBeLessThan(5_000);
});
