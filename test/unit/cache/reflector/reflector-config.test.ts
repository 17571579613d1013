import { expect, it } from "vitest";
import { reflectorConfig } from "../../../../src/cache/reflector/reflector-config.js";
import { initialReflectorState } from "../../../../src/cache/reflector/reflector-state.js";
import { stepReflector } from "../../../../src/cache/reflector/reflector-step.js";
import type { Thing } from "../../../support/scripted-source.js";
import { list } from "./play-reflector.js";

it("reflector draws a new timeout for every watch", () => {
  const config = reflectorConfig(list);
  const of = (random: number): unknown => {
    const first = stepReflector(initialReflectorState, { type: "start" }, { config, now: 0, random: () => random });
    const second = stepReflector<Thing>(
      first.state,
      { type: "slice", items: [], metadata: { resourceVersion: "1" } },
      { config, now: 0, random: () => random },
    );
    return second.action?.type === "watch" ? second.action.options.timeoutSeconds : undefined;
  };
  expect([of(0), of(0.5), of(0.999)]).toEqual([300, 450, 599]);
});

it("reflector disables the client's retries", () => {
  const first = stepReflector(
    initialReflectorState,
    { type: "start" },
    { config: reflectorConfig({}), now: 0, random: () => 0 },
  );
  expect(first.action).toMatchObject({ options: { retry: false } });
});

it.each([
  [{ pageSize: 0 }, "pageSize"],
  [{ idleTimeoutMs: -1 }, "idleTimeoutMs"],
  [{ watchTimeoutSeconds: { min: 10, max: 5 } }, "watchTimeoutSeconds"],
])("reflectorConfig rejects %j", (options, name) => expect(() => reflectorConfig(options)).toThrow(name));
