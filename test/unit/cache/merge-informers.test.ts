import { describe, expect, it } from "vitest";
import { mergeInformers } from "../../../src/cache/combine/merge-informers.js";
import { describeChange, harnesses } from "../../support/informer-harness.js";
import { failure } from "../../support/scripted-source.js";
import { settle } from "../../support/virtual-clock.js";

const begin = harnesses();

describe("mergeInformers", () => {
  it("adds an index to every part or to none", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    y.informer.store.addIndex("i", () => ["y"]);
    expect(() => merged.store.addIndex("i", () => [])).toThrow(RangeError);
    expect(() => x.informer.store.byIndex("i", "")).toThrow(RangeError);
  });
  it("combines status, store, metrics and changes of the parts", async () => {
    const [x, y] = [begin(), begin()];
    const merged = mergeInformers([x.informer, y.informer]);
    const received: string[] = [];
    const statuses: string[] = [];
    merged.onStatus(({ type }) => statuses.push(type));
    const registration = merged.addHandler((change) => received.push(describeChange(change)));
    const synced = registration.synced();
    await x.answer("10", ["x/a@1"]);
    expect([merged.hasSynced, merged.status.type, merged.store.resourceVersion]).toEqual([false, "listing", undefined]);
    await y.answer("9", ["y/a@2", "y/b@3"]);
    await synced;
    await y.send("-y/b@12");
    expect(received).toEqual(["+x/a@1", "+y/a@2", "+y/b@3", "-y/b@12"]);
    expect([
      merged.store.size,
      merged.store.get("y/a")?.metadata?.resourceVersion,
      [...merged.store.keys()],
      merged.store.resourceVersion,
      merged.store.list({ namespace: "y" }).length,
    ]).toEqual([2, "2", ["x/a", "y/a"], "10", 1]);
    y.watch().end(failure(503, "ServiceUnavailable"));
    await settle();
    expect([
      merged.status.type,
      (merged.lastError as { code: number }).code,
      merged.metrics.lists,
      merged.metrics.size,
    ]).toEqual(["backingOff", 503, 2, 2]);
    expect(statuses).toContain("backingOff");
    await merged.close();
    expect(() => mergeInformers([])).toThrow(RangeError);
  });
});
