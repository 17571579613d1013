import { describe, expect, it } from "vitest";
import { type Answer } from "../scripted-transport.js";
import { setup } from "./resource-setup.js";

describe("lists", () => {
  const page = (names: string[], token?: string, remaining?: number): Answer => ({
    body: {
      kind: "PodList",
      apiVersion: "v1",
      metadata: {
        resourceVersion: "9",
        ...(token !== undefined && { continue: token }),
        ...(remaining !== undefined && { remainingItemCount: remaining }),
      },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });
  const expired: Answer = {
    status: 410,
    body: { kind: "Status", code: 410, reason: "Expired", message: "too old", metadata: { continue: "fresh" } },
  };

  it("pages reports progress and sends the resourceVersion only once", async () => {
    const s = setup(page(["a", "b"], "t1", 3), page(["c", "d"], "t2", 1), page(["e"]));
    const progress: unknown[] = [];
    const names: unknown[] = [];
    for await (const p of s.pods.pages({
      limit: 2,
      resourceVersion: "5",
      resourceVersionMatch: "NotOlderThan",
      labelSelector: "x",
      onProgress: (p) => progress.push([p.pages, p.items, p.remaining]),
    }))
      names.push(p.items.map((i) => i.metadata?.name));
    expect(names).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(progress).toEqual([
      [1, 2, 3],
      [2, 4, 1],
      [3, 5, 0],
    ]);
    expect(s.transport.requests.map((r) => r.path.split("?")[1])).toEqual([
      "labelSelector=x&limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan",
      "labelSelector=x&limit=2&continue=t1",
      "labelSelector=x&limit=2&continue=t2",
    ]);
  });

  it("items requests 500 at a time and stops when the reader stops", async () => {
    const s = setup(page(["a", "b"], "t1"));
    for await (const item of s.pods.items()) {
      expect(item.metadata?.name).toBe("a");
      break;
    }
    expect(s.transport.requests.map((r) => r.path)).toEqual(["/api/v1/namespaces/apps/pods?limit=500"]);
  });

  it("items end with the signal's reason in the middle of a page", async () => {
    const s = setup(page(["a", "b", "c"]));
    const controller = new AbortController();
    const items = s.pods.items({ signal: controller.signal });
    expect((await items.next()).value).toMatchObject({ metadata: { name: "a" } });
    controller.abort(new Error("enough"));
    await expect(items.next()).rejects.toThrow("enough");
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it("onExpired fails, continues or restarts after an expired token", async () => {
    const collect = async (
      options: object,
      ...answers: Answer[]
    ): Promise<{ names: unknown[]; queries: unknown[]; last: unknown }> => {
      const s = setup(...answers);
      const names: unknown[] = [];
      let last: unknown;
      for await (const p of s.pods.pages({ limit: 1, onProgress: (x) => (last = x), ...options }))
        names.push(...p.items.map((i) => i.metadata?.name));
      return { names, queries: s.transport.requests.map((r) => /continue=(.*)/.exec(r.path)?.[1]), last };
    };
    await expect(collect({}, page(["a"], "t1"), expired)).rejects.toMatchObject({ code: 410 });
    expect(await collect({ onExpired: "continue" }, page(["a"], "t1"), expired, page(["b"]))).toMatchObject({
      names: ["a", "b"],
      queries: [undefined, "t1", "fresh"],
      last: { inconsistent: true },
    });
    let restarted = 0;
    expect(
      await collect(
        { onExpired: "restart", onRestart: () => restarted++ },
        page(["a"], "t1"),
        expired,
        page(["a"], "t2"),
        page(["b"]),
      ),
    ).toMatchObject({
      names: ["a", "a", "b"],
      queries: [undefined, "t1", undefined, "t2"],
      last: { restarts: 1, items: 2 },
    });
    expect(restarted).toBe(1);
    await expect(
      collect(
        { onExpired: "restart", onRestart: () => undefined },
        page(["a"], "t"),
        expired,
        page(["a"], "t"),
        expired,
        page(["a"], "t"),
        expired,
        page(["a"], "t"),
        expired,
      ),
    ).rejects.toMatchObject({ code: 410 });
  });

  it("listChunks yields items as they arrive", async () => {
    const text = JSON.stringify((page(["a", "b", "c"]) as { body: object }).body);
    const s = setup({ body: [...text] });
    const items: unknown[] = [];
    let metadata: unknown;
    for await (const slice of s.pods.listChunks()) {
      items.push(...slice.items.map((i) => i.metadata?.name));
      metadata ??= slice.metadata;
    }
    expect(items).toEqual(["a", "b", "c"]);
    expect(metadata).toMatchObject({ resourceVersion: "9" });
    expect(s.transport.open()).toBe(0);
  });

  it("listChunks closes the connection when it is stopped early", async () => {
    const s = setup({ body: ['{"kind":"PodList","items":[{"metadata":{"name":"a"}},', "hang"] });
    const slices = s.pods.listChunks();
    const first = slices.next();
    await new Promise((resolve) => setImmediate(resolve));
    await slices.return!();
    await first;
    expect(s.transport.open()).toBe(0);
  });
});
