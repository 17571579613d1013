import { expect, it } from "vitest";
import { validatePodSpec, validatePodTemplate } from "../../../../src/apiserver/kinds/core/pod/pod-spec-errors.js";
import { KnownValid } from "../../../../src/apiserver/kinds/shared/known-valid.js";
import type { PodSpec } from "../../../../src/kinds/core/v1.js";

const container = {
  name: "main",
  image: "busybox",
  imagePullPolicy: "Always",
  terminationMessagePolicy: "File",
} as const;
const base: PodSpec = { containers: [container], restartPolicy: "Always", dnsPolicy: "ClusterFirst" };
const fieldsOf = (errors: readonly { readonly field: string }[]): string[] => errors.map(({ field }) => field);

it("valid texts are forgotten after a bounded number of others", () => {
  const known = new KnownValid();
  const text = (index: number): string => `${String(index)}${"-".repeat(1_000)}`;
  known.add(text(0));
  expect(known.has(text(0))).toBe(true);
  for (let index = 1; index <= 2_000; index++) known.add(text(index));
  expect([known.has(text(0)), known.has(text(2_000))]).toEqual([false, true]);
});

it("a valid text that is used again and again stays known", () => {
  const known = new KnownValid();
  known.add("again");
  for (let index = 0; index < 3_000; index++) {
    known.add(`${String(index)}${"-".repeat(1_000)}`);
    expect(known.has("again")).toBe(true);
  }
});

it("a valid text of more than 16,384 characters isn't kept", () => {
  const known = new KnownValid();
  known.add("-".repeat(16_385));
  expect(known.has("-".repeat(16_385))).toBe(false);
});

it("a pod that repeats an invalid spec gets the same errors again", () => {
  const spec = { ...base, restartPolicy: "Sometimes" as "Always" };
  const first = validatePodSpec(spec, "spec");
  expect(fieldsOf(first)).toEqual(["spec.restartPolicy"]);
  expect(validatePodSpec(spec, "spec")).toEqual(first);
});

it("a spec that is valid only as a change of a stored one is invalid for another pod", () => {
  const spec = { ...base, securityContext: { seLinuxChangePolicy: "MountOption" } };
  expect(validatePodSpec(spec, "spec", { old: spec })).toEqual([]);
  expect(fieldsOf(validatePodSpec(spec, "spec"))).toEqual(["spec.securityContext.seLinuxChangePolicy"]);
});

it("a spec whose claims take a pod's name is validated for each name", () => {
  const volumeClaimTemplate = {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeMode: "Filesystem" },
  };
  const spec = { ...base, volumes: [{ name: "data", ephemeral: { volumeClaimTemplate } }] } as PodSpec;
  expect(validatePodSpec(spec, "spec", { name: "short" })).toEqual([]);
  expect(fieldsOf(validatePodSpec(spec, "spec", { name: "x".repeat(250) }))).toEqual(["spec.volumes[0].name"]);
});

it("a spec that is valid in a template is validated again for a pod", () => {
  const spec = { ...base, containers: [{ ...container, image: " busybox" }] };
  const template = validatePodTemplate({ spec }, "spec.template");
  expect([fieldsOf(template), fieldsOf(validatePodSpec(spec, "spec"))]).toEqual([[], ["spec.containers[0].image"]]);
});
