import { expect, it } from "vitest";
import { consumption, hasCapacity } from "../../../../src/cluster/scheduler/devices/capacity.js";
import type { CapacityRequestPolicy, Device } from "../../../../src/kinds/resource/v1.js";

const device = (requestPolicy?: CapacityRequestPolicy): Device => ({
  name: "gpu",
  capacity: { memory: { value: "10Gi", ...(requestPolicy && { requestPolicy }) } },
});
const range: CapacityRequestPolicy = {
  default: "2Gi",
  validRange: { min: "2Gi", max: "8Gi", step: "2Gi" },
};
const values: CapacityRequestPolicy = { default: "1Gi", validValues: ["1Gi", "4Gi"] };

it.each<[string, CapacityRequestPolicy | undefined, string | undefined, string | undefined]>([
  ["all of it without a request and a policy", undefined, undefined, "10Gi"],
  ["the policy's default without a request", range, undefined, "2Gi"],
  ["the requested amount without a policy", undefined, "3Gi", "3Gi"],
  ["at least the smallest amount of a range", range, "1", "2Gi"],
  ["the next step of a range", range, "4097Mi", "6Gi"],
  ["the requested amount if it is a step of a range", range, "4Gi", "4Gi"],
  ["any amount of a range without steps", { validRange: { min: "2Gi" } }, "2500m", "2Gi"],
  ["the requested amount if a step is nothing", { validRange: { min: "1Gi", step: "0" } }, "3Gi", "3Gi"],
  ["nothing if the amount is beyond a range", range, "9Gi", undefined],
  ["the next of the valid values", values, "2Gi", "4Gi"],
  ["nothing if the amount is beyond the valid values", values, "5Gi", undefined],
])("a request consumes %s of a capacity", (_, policy, requested, expected) => {
  const capacity = requested === undefined ? undefined : { requests: { memory: requested } };
  const consumed = consumption(device(policy), { deviceClassName: "gpu", capacity });
  expect(consumed).toEqual(expected === undefined ? undefined : { memory: expected });
});

it("a request for a capacity that a device lacks consumes nothing of it", () => {
  const capacity = { requests: { cores: "1" } };
  expect(consumption(device(), { deviceClassName: "gpu", capacity })).toBeUndefined();
});

it("steps of a range round fractions up to integers", () => {
  const policy = { validRange: { min: "1", step: "1" } };
  const capacity = { requests: { memory: "2500m" } };
  expect(consumption(device(policy), { deviceClassName: "gpu", capacity })).toEqual({ memory: "3" });
});

it("a capacity suffices until its shares exceed it together", () => {
  expect(hasCapacity(device(), { memory: "4Gi" }, [{ memory: "3Gi" }, { memory: "3Gi" }])).toBe(true);
  expect(hasCapacity(device(), { memory: "4Gi" }, [{ memory: "3Gi" }, { memory: "3Gi" }, { memory: "1" }])).toBe(false);
  expect(hasCapacity(device(), {}, [{ memory: "20Gi" }])).toBe(true);
});
