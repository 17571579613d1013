import { parseDuration } from "../time/duration.js";
import type { Expression } from "./expression.js";
import type { CompiledStage } from "./read-stages.js";

/** Chooses one of several stages by chance and weight; all alike if none has a weight. */
export function chooseStage(stages: readonly CompiledStage[], object: unknown, random: () => number): CompiledStage {
  if (stages.length === 1) return stages[0]!;
  const weights = stages.map((stage) => weightOf(stage, object));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return stages[Math.floor(random() * stages.length)]!;
  let left = random() * total;
  return stages.find((_, index) => (left -= weights[index]!) < 0) ?? stages.at(-1)!;
}

function weightOf({ weight, weightFrom }: CompiledStage, object: unknown): number {
  const [value] = weightFrom?.(object) ?? [];
  const given = value === undefined ? weight : Number(value);
  return Number.isFinite(given) && given >= 0 ? given : 0;
}

/** Returns the delay of a stage in milliseconds. */
export function delayOf(stage: CompiledStage, object: unknown, nowMs: number, random: () => number): number {
  const shortest = durationFrom(stage.delayFrom, object, nowMs) ?? stage.delayMs;
  const longest = durationFrom(stage.longestFrom, object, nowMs) ?? stage.longestMs;
  if (longest === undefined) return Math.max(0, shortest);
  if (longest <= shortest) return Math.max(0, longest);
  return Math.floor(shortest + random() * (longest - shortest));
}

/** Returns the duration that an expression selects: a text such as `10s`, or the time that is left until a moment. */
function durationFrom(expression: Expression | undefined, object: unknown, nowMs: number): number | undefined {
  const [value] = expression?.(object) ?? [];
  if (typeof value !== "string" || value === "") return undefined;
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? parseDuration(value) : time - nowMs;
}
