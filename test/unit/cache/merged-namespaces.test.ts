import { describe, expect, it } from "vitest";
import { mergeInformers } from "../../../src/cache/combine/merge-informers.js";
import { ClosedError } from "../../../src/errors/errors.js";
import { harnesses } from "../../support/informer-harness.js";
import { failure } from "../../support/scripted-source.js";
import { settle } from "../../support/virtual-clock.js";

const begin = harnesses();

describe("informers merged from several namespaces", () => {
  it("are synced when all parts are, and reject if one is refused", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    const waiting = expect(merged.synced()).rejects.toMatchObject({ code: 403 });
    await x.answer("10", []);
    for (let i = 0; i < 2; i++) {
      await settle();
      y.source.lists.at(-1)!.fail(failure(403, "Forbidden"));
      await y.clock.advance(i === 0 ? 1_000 : 0);
    }
    await waiting;
    expect([merged.hasSynced, merged.status]).toEqual([
      false,
      expect.objectContaining({ type: "refused", kind: "forbidden" }),
    ]);
    await y.clock.advance(3_000);
    await y.answer("12", ["y/a@1"]);
    await merged.synced();
    expect([merged.hasSynced, merged.status.type]).toEqual([true, "watching"]);
  });
  it("reach a version when every part has reached it", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    merged.addHandler(() => undefined);
    await x.answer("10", []);
    await y.answer("10", []);
    let shown = false;
    void merged.waitForResourceVersion("15").then(() => (shown = true));
    await x.send("+x/a@15");
    expect([shown, merged.store.resourceVersion]).toEqual([false, "10"]);
    await y.send("=16");
    expect([shown, merged.store.resourceVersion]).toEqual([true, "15"]);
  });
  it("close all connections with the last handler, and undo addHandler if a part throws", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    const registration = merged.addHandler(() => undefined);
    await x.answer("10", []);
    await y.answer("10", []);
    registration.remove();
    await settle();
    expect([x.watch().closed, y.watch().closed]).toEqual([true, true]);
    await y.informer.close();
    expect(() => merged.addHandler(() => undefined)).toThrow(ClosedError);
    expect(x.informer.metrics.handlers).toBe(0);
  });
  it("share indexes and queries", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    merged.start();
    await x.answer("10", ["x/a@1", "x/b@2"]);
    merged.store.addIndex("name", ({ metadata }) => [metadata!.name!]);
    await y.answer("10", ["y/a@1"]);
    expect([
      merged.store.byIndex("name", "a").length,
      merged.store.indexValues("name").sort(),
      merged.store.list({ namespace: "x" }).length,
      merged.store.has("y/a"),
    ]).toEqual([2, ["a", "b"], 2, true]);
  });
});
