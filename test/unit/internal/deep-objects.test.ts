import { expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../src/client/client.js";
import { deepFreeze } from "../../../src/codec/freeze.js";
import { cloneObject } from "../../../src/internal/clone-object.js";
import { deepEqual } from "../../../src/internal/deep-equal.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { fieldChanges } from "../../../src/manifests/field-changes.js";
import { formatPlan } from "../../../src/manifests/format-plan.js";
import { handlerTransport } from "../../../src/transport/handler.js";

/** A kube-apiserver accepts 10,000 levels, in a custom resource of anyone who may create one. */
const levels = 9_900;
const nested = (leaf: string): object =>
  JSON.parse(`{"a":[`.repeat(levels / 2) + leaf + "]}".repeat(levels / 2)) as object;

it("objects as deep as a server accepts are compared, copied and frozen", () => {
  expect(deepEqual(nested("1"), nested("1"))).toBe(true);
  expect(deepEqual(nested("1"), nested("2"))).toBe(false);
  const copy = cloneObject(nested("1"));
  expect(deepEqual(copy, nested("1"))).toBe(true);
  let below: unknown = deepFreeze(copy);
  for (let level = 0; level < levels; level++) {
    expect(Object.isFrozen(below)).toBe(true);
    below = Object.values(below as object)[0];
  }
  expect(below).toBe(1);
});

it("one object that is as deep as a server accepts doesn't hide others from an informer", async () => {
  const item = (name: string, annotations: object): string =>
    `{"metadata":{"name":"${name}","namespace":"default","resourceVersion":"1"},"data":`.concat(
      name === "deep" ? `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}` : JSON.stringify(annotations),
      "}",
    );
  const list = `{"kind":"ConfigMapList","metadata":{"resourceVersion":"1"},"items":[${item("deep", {})},${item("flat", {})}]}`;
  const transport = handlerTransport(async ({ url, signal }) => {
    const watch = new URL(url).searchParams.has("watch");
    const open = new ReadableStream({
      start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
    });
    return new Response(watch ? open : list, { headers: { "content-type": "application/json" } });
  });
  const client = createClient({ transport });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  await using informer = createInformer(client.resource(ConfigMap), { initialList: "list", freeze: true, onError });
  await informer.synced();
  expect([...informer.store.keys()].sort()).toEqual(["default/deep", "default/flat"]);
  expect(errors).toEqual([]);
});

it("a plan shows a change far below as one of a field above, and no text controls the terminal", () => {
  const [change, ...others] = fieldChanges({ spec: nested("1") } as never, { spec: nested("2") } as never);
  expect([others.length, change!.path.length < 1_010]).toEqual([0, true]);
  const evil = "\u001b[2J\u009b2J\u202e\n+ Secret";
  const identity = { apiVersion: "v1", kind: "ConfigMap", name: "a", namespace: evil };
  const changes = [{ path: `.data.${evil}`, before: nested("1"), after: evil, owners: [evil], conflict: false }];
  const refusal = { reason: "forbidden", message: evil, causes: [] };
  const text = formatPlan({
    items: [
      { ...identity, action: "change", changes },
      { ...identity, action: "refuse", changes: [], refusal },
    ],
  } as never);
  expect(text.replaceAll("\n", "")).toMatch(/^[\u0020-\u007e…]*$/);
  // JSON.stringify needs no call stack from Node 26 on; its text is cut.
  expect(text).toMatch(/\(nested too deeply to show\)|\{"a":\[.*…/);
  expect(text.split("\n")).toHaveLength(5);
});
