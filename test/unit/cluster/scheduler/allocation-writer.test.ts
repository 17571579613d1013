import { expect, it } from "vitest";
import { createAllocationWriter } from "../../../../src/cluster/scheduler/devices/allocation-writer.js";
import type { ClaimWriter } from "../../../../src/cluster/scheduler/devices/claim-writer.js";
import type { ResourceClaim } from "../../../../src/kinds/resource/v1.js";
import { pod } from "./snapshots.js";

const signal = new AbortController().signal;
const wanted: ResourceClaim = { metadata: { namespace: "default", name: "<extended-resources>", uid: "p" }, spec: {} };
const created: ResourceClaim = { metadata: { namespace: "default", name: "made", uid: "c" }, spec: {} };

/** Creates a claim by a writer whose step fails. Returns what it called, with the pending claims at each call. */
async function createWith(failing: "create" | "reserve" | "record" | "none"): Promise<string[]> {
  const calls: string[] = [];
  const pending = new Map<string, ResourceClaim>();
  const step = <T>(name: string, result: T) => {
    calls.push(`${name} with ${[...pending.keys()].join()} pending`);
    return name === failing ? Promise.reject(new Error(name)) : Promise.resolve(result);
  };
  const writer: ClaimWriter = {
    create: () => step("create", created),
    reserve: () => step("reserve", { ...created, metadata: { ...created.metadata, resourceVersion: "1" } }),
    record: () => step("record", undefined),
    remove: () => step("remove", undefined),
    release: () => step("release", undefined),
    deallocate: () => step("deallocate", undefined),
  };
  const cache = () => ({ waitForResourceVersion: () => Promise.resolve() }) as never;
  const changed = (claim?: unknown): void => {
    calls.push(claim === undefined ? "changed" : "changed claim");
  };
  const allocations = createAllocationWriter(
    { cache, clock: { now: () => 0 } as never },
    { writer, pending: pending as never, changed },
  );
  const extended = { claim: wanted, mappings: [] };
  await allocations.createExtended(extended, pod(), {}, signal).catch((error: Error) => calls.push(error.message));
  expect(pending.size).toBe(0);
  return calls;
}

it.each<[Parameters<typeof createWith>[0], string[]]>([
  ["none", ["create with p pending", "reserve with c pending", "changed claim", "record with  pending"]],
  ["create", ["create with p pending", "changed", "create"]],
  ["reserve", ["create with p pending", "reserve with c pending", "changed claim", "remove with  pending", "reserve"]],
  [
    "record",
    [
      "create with p pending",
      "reserve with c pending",
      "changed claim",
      "record with  pending",
      "remove with  pending",
      "record",
    ],
  ],
])("devices of a created claim are pending until they are reserved, if %s fails", async (failing, calls) => {
  expect(await createWith(failing)).toEqual(calls);
});
