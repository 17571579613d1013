import { expect, it } from "vitest";
import type { WritePlan, WriteState } from "../../../../src/apiserver/registry/write/state.js";
import { runSteps } from "../../../../src/apiserver/registry/write/state.js";
import { lazyModule } from "../../../../src/internal/lazy-module.js";

/** Runs a plan of four steps. The named one uses a module that isn't loaded. Returns the names of the steps that ran. */
async function run(user: string): Promise<string[]> {
  const ran: string[] = [];
  const sizes = lazyModule(() => Promise.resolve({ size: 1 }));
  const step = (name: string) => (state: WriteState) => {
    ran.push(name);
    if (name === user) sizes.get();
    if (name === "store") state.outcome = "retry";
  };
  const check = step("check");
  const plan: WritePlan = { steps: [step("prepare"), check, step("skip"), step("store")], last: check };
  await runSteps(plan, {} as WriteState);
  return ran;
}

it("a write that needs a module to store its object loads it and compares with the store again", async () => {
  expect(await run("store")).toEqual(["prepare", "check", "skip", "store", "check", "skip", "store"]);
  expect(await run("check")).toEqual(["prepare", "check", "check", "skip", "store"]);
});

it("a write fails if a step before the last ones needs a module that isn't loaded", async () => {
  await expect(run("prepare")).rejects.toThrow("a module is used before it is loaded");
});
