import { parseCostPerByte } from "./meter.js";
import type { CaseResult } from "./run-case.js";
import { runCase } from "./run-case.js";
import { loadTarget } from "./targets/groups.js";

/** Request of the parent: one case. */
export interface CaseRequest {
  /** Group of the target. */
  readonly group: string;
  /** Name of the target. */
  readonly target: string;
  /** Seed of the shape. */
  readonly seed: number;
}

/** Message to the parent: the shape, the start of the case, or its result. */
export type ChildMessage = { readonly plan: string } | { readonly started: true } | { readonly result: CaseResult };

const parseCost = parseCostPerByte();

function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => process.send!(message, () => resolve()));
}

const progress = { parseCost, begin: (plan: string) => send({ plan }), started: () => send({ started: true }) };

process.on("message", ({ group, target: name, seed }: CaseRequest) => {
  void loadTarget(group, name)
    .then((target) => runCase(target, name, seed, progress))
    .then((result) => send({ result }));
});
// An orphan must not stay.
process.on("disconnect", () => process.exit());
