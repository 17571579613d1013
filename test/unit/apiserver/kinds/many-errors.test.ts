// Responses show about a thousand errors, and far fewer warnings. Hostile bodies hold hundreds of thousands.
import { expect, it } from "vitest";
import { failurePolicyErrors } from "../../../../src/apiserver/kinds/batch/job/job-policies.js";
import { validatePodSpec } from "../../../../src/apiserver/kinds/core/pod/pod-spec-errors.js";
import { podWarnings } from "../../../../src/apiserver/kinds/core/pod/pod-warnings.js";
import { validateVolumes } from "../../../../src/apiserver/kinds/core/volume/volume-errors.js";
import { validateMetadata } from "../../../../src/apiserver/objects/validate-metadata.js";
import type { JobSpec, PodFailurePolicyRule } from "../../../../src/kinds/batch/v1.js";
import type { PodSpec } from "../../../../src/kinds/core/v1.js";

const many = 50_000;
const list = <T>(item: T): T[] => new Array<T>(many).fill(item);
const map = (key: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: many }, (_, at) => [`${key}${String(at)}`, ""]));
const container = { name: "c", image: "i" };
const spec = (fields: Partial<PodSpec>): PodSpec => ({ containers: [container], ...fields });
const job = (fields: Partial<JobSpec>): JobSpec => ({ template: { spec: spec({}) }, ...fields });
const rule: PodFailurePolicyRule = { action: "Ignore", onExitCodes: { operator: "In", values: list(0) } };

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
  ["empty pull secrets", () => podWarnings(spec({ imagePullSecrets: list({}) }), {}, "")],
  ["host aliases", () => podWarnings(spec({ hostAliases: list({ ip: "01.2.3.4", hostnames: [] }) }), {}, "")],
])("validation of 50,000 wrong %s stops after a few thousand errors", (_what, run) => {
  const { length } = run();
  expect(length).toBeGreaterThan(900);
  expect(length).toBeLessThan(5_000);
});
