import { expect } from "vitest";
import type { ReflectorOptions } from "../../../../src/cache/reflector/reflector-config.js";
import { reflectorConfig } from "../../../../src/cache/reflector/reflector-config.js";
import type { ReflectorEvent, ReflectorInput } from "../../../../src/cache/reflector/reflector-event.js";
import { initialReflectorState } from "../../../../src/cache/reflector/reflector-state.js";
import { stepReflector } from "../../../../src/cache/reflector/reflector-step.js";
import type { ReflectorTransition } from "../../../../src/cache/reflector/reflector-transition.js";
import { objectKey } from "../../../../src/cache/store/object-key.js";
import { TransportError } from "../../../../src/errors/errors.js";
import type { Thing } from "../../../support/scripted-source.js";
import { describeList, describeWatch, event, failure, thing } from "../../../support/scripted-source.js";

/** Failures of requests. */
export const expired = (): Error => failure(410, "Expired");
export const gone = (): Error => failure(410, "Gone");
export const tooLarge = (): Error => failure(504, "Timeout", { cause: "ResourceVersionTooLarge" });
export const tooLargeOld = (): Error => failure(504, "Timeout", { cause: "" });
export const refusedConnection = (): Error => new TransportError("refused", { code: "ECONNREFUSED" });
export const reset = (): Error => new TransportError("reset", { code: "ECONNRESET" });

/** An input of the reflector, and the events and the action that follow. */
export type Row = [
  input:
    | string
    | Error
    | { page: string[]; rv?: string; continue?: string }
    | { together: string[] }
    | { wait: number }
    | { broken: number },
  ...expected: string[],
];

/** Options of a reflector that makes lists, and no streaming lists. */
export const list: ReflectorOptions = { initialList: "list" };

/**
 * Plays inputs in order; each row states the expected outputs. Numbers in a row are milliseconds to wait. A server
 * accepts a watch at once, unless the next row is `unanswered` or `broken`, which happens after so many milliseconds.
 */
export function play(options: ReflectorOptions, rows: readonly Row[], random = 0): void {
  const config = reflectorConfig(options);
  let state = initialReflectorState;
  let now = 0;
  for (const [index, [input, ...expected]] of rows.entries()) {
    if (state.phase === "opening" && input !== "unanswered" && !(typeof input === "object" && "broken" in input))
      state = stepReflector<Thing>(state, { type: "opened" }, { config, now, random: () => random }).state;
    if (typeof input === "object" && "wait" in input) {
      now += input.wait;
      continue;
    }
    if (input === "unanswered" && state.phase === "opening") now = state.deadlineAt;
    if (typeof input === "object" && "broken" in input) now += input.broken;
    if (input === "elapsed") now = Math.max(now, state.phase === "waiting" ? state.failure.until : now);
    const transition: ReflectorTransition<Thing> = stepReflector(state, toInput(input), {
      config,
      now,
      random: () => random,
    });
    state = transition.state;
    expect({ row: index, input: String(input), follows: describeTransition(transition) }).toEqual({
      row: index,
      input: String(input),
      follows: expected,
    });
  }
}

export function toInput(input: Exclude<Row[0], { wait: number }>): ReflectorInput<Thing> {
  if (input instanceof Error) return { type: "failed", error: input };
  if (typeof input === "object" && "broken" in input) return { type: "failed", error: reset() };
  if (typeof input === "object" && "together" in input) return { type: "initial", objects: input.together.map(thing) };
  if (typeof input === "object") {
    return {
      type: "slice",
      items: input.page.map(thing),
      metadata: {
        ...(input.rv === undefined ? {} : { resourceVersion: input.rv }),
        ...(input.continue === undefined ? {} : { continue: input.continue }),
      },
    };
  }
  if (input === "start" || input === "ended" || input === "silent" || input === "elapsed") return { type: input };
  if (input === "unanswered") return { type: "silent" };
  return { type: "event", event: event(input) };
}

export function describeTransition({ events, action }: ReflectorTransition<Thing>): string[] {
  const said = events.map((entry: ReflectorEvent<Thing>) => {
    if (entry.type === "initApply") return `initApply ${entry.objects.map(objectKey).join(",")}`;
    if ("object" in entry) return `${entry.type} ${objectKey(entry.object)}`;
    return "resourceVersion" in entry ? `${entry.type} ${entry.resourceVersion}` : entry.type;
  });
  if (action?.type === "list") said.push(describeList(action.options));
  if (action?.type === "watch") said.push(describeWatch(action.options));
  if (action?.type === "wait") said.push(`wait ${String(action.delayMs)}`);
  return said;
}

/** A list that is complete at version 10, and its watch. */
export const listed: Row[] = [
  ["start", "init", "list limit=500"],
  [{ page: ["a@1", "b@2"], rv: "10" }, "initApply a,b", "initDone 10", "watch rv=10"],
];
/** The same, with a watch that has been open for a while. */
export const live: Row[] = [...listed, [{ wait: 5_000 }], ["~a@11", "apply a"]];
