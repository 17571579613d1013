import { describe, expect, it } from "vitest";
import { joinInformers } from "../../../src/cache/combine/join.js";
import { ClosedError } from "../../../src/errors/errors.js";
import { harnesses } from "../../support/informer-harness.js";
import { settle } from "../../support/virtual-clock.js";

const begin = harnesses();

describe("joinInformers", () => {
  it("emits each left object with its matches, again after changes on either side", async () => {
    const [pods, nodes] = [begin(), begin()];
    const nodeOf = (object: unknown): string[] => [
      (object as { metadata: { name: string } }).metadata.name.split("-")[0]!,
    ];
    const received: string[] = [];
    const join = joinInformers(
      pods.informer,
      nodes.informer,
      { name: "node", left: nodeOf, right: (node) => [node.metadata!.name!] },
      ({ type, key, right }) =>
        received.push(
          `${type} ${key}: ${right.map(({ metadata }) => `${metadata!.name!}@${metadata!.resourceVersion!}`).join()}`,
        ),
    );
    await pods.answer("10", ["n1-a@1", "n2-b@1"]);
    expect(received).toEqual([]);
    await nodes.answer("10", ["n1@1"]);
    expect(received.splice(0)).toEqual(["added n1-a: n1@1", "added n2-b: "]);
    await nodes.send("+n2@11", "~n1@12", "-n1@13");
    await pods.send("+n2-c@14", "~n1-a@15", "-n2-b@16");
    expect(received.splice(0)).toEqual([
      "updated n2-b: n2@11",
      "updated n1-a: n1@12",
      "updated n1-a: ",
      "added n2-c: n2@11",
      "updated n1-a: ",
      "deleted n2-b: ",
    ]);
    join.remove();
    join.remove();
    await settle();
    expect([pods.watch().closed, nodes.watch().closed]).toEqual([true, true]);
  });
  it("removes its indexes and can start again with other functions", async () => {
    const [pods, nodes] = [begin(), begin()];
    const join = (): { remove(): void } =>
      joinInformers(
        pods.informer,
        nodes.informer,
        { name: "n", left: () => ["x"], right: () => ["x"] },
        () => undefined,
      );
    const first = join();
    expect(join).toThrow(RangeError);
    expect(() => pods.informer.store.byIndex("join n", "x")).not.toThrow();
    first.remove();
    expect(() => pods.informer.store.byIndex("join n", "x")).toThrow(RangeError);
    nodes.informer.store.addIndex("join n", () => []);
    expect(join).toThrow(RangeError);
    expect(() => pods.informer.store.byIndex("join n", "x")).toThrow(RangeError);
    nodes.informer.store.removeIndex("join n");
    join().remove();
  });
  it("removed twice before it began keeps another join's indexes", async () => {
    const [pods, nodes] = [begin(), begin()];
    const all = (): string[] => ["x"];
    const received: string[] = [];
    const join = (): { remove(): void } =>
      joinInformers(pods.informer, nodes.informer, { name: "n", left: all, right: all }, ({ type, key }) =>
        received.push(`${type} ${key}`),
      );
    const [first] = [join(), join()];
    await settle();
    first.remove();
    await settle();
    first.remove();
    await pods.answer("10", ["a@1"]);
    await nodes.answer("10", []);
    expect(received).toEqual(["added a"]);
  });
  it("throws without side effects if one informer is closed", async () => {
    const [pods, nodes] = [begin(), begin()];
    await nodes.informer.close();
    expect(() =>
      joinInformers(pods.informer, nodes.informer, { name: "n", left: () => [], right: () => [] }, () => undefined),
    ).toThrow(ClosedError);
    expect([pods.informer.metrics.handlers, pods.informer.status.type]).toEqual([0, "idle"]);
    expect(() => pods.informer.store.byIndex("join n", "")).toThrow(RangeError);
  });
  it("continues if its handler throws", async () => {
    const [pods, nodes] = [begin(), begin()];
    const [received, errors]: [string[], unknown[]] = [[], []];
    const options = {
      name: "all",
      left: () => ["x"],
      right: () => ["x"],
      onError: (error: unknown) => errors.push(error),
    };
    joinInformers(pods.informer, nodes.informer, options, ({ type, key }) => {
      received.push(`${type} ${key}`);
      throw new Error(key);
    });
    await pods.answer("10", ["a@1", "b@1"]);
    await nodes.answer("10", []);
    expect(errors).toEqual([new Error("a"), new Error("b")]);
    await pods.send("~a@11");
    await nodes.send("+n@12");
    expect(received).toEqual(["added a", "added b", "updated a", "updated a"]);
    expect(pods.informer.metrics.handlerErrors + nodes.informer.metrics.handlerErrors).toBe(2);
  });
});
