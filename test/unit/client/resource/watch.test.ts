import { describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { ClosedError, TransportError } from "../../../../src/errors/errors.js";
import { Namespace, Pod } from "../../../../src/kinds/core/v1.js";
import { scripted } from "../scripted-transport.js";
import { pod, setup, status } from "./resource-setup.js";

describe("watch", () => {
  const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
  const bookmark = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: "12" } };

  it("sends its options as a query and decodes events across chunks", async () => {
    const text =
      event("ADDED", pod) +
      event("MODIFIED", pod) +
      event("BOOKMARK", bookmark) +
      event("SOMETHING", {}) +
      event("DELETED", pod);
    const s = setup({ body: [...text] });
    const types: string[] = [];
    for await (const e of s.pods.watch({
      resourceVersion: "7",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
      fieldSelector: "metadata.name=a",
    }))
      types.push(e.type);
    expect(types).toEqual(["ADDED", "MODIFIED", "BOOKMARK", "DELETED"]);
    expect(s.transport.requests[0]!.path).toBe(
      "/api/v1/namespaces/apps/pods?watch=1&fieldSelector=metadata.name%3Da&resourceVersion=7&allowWatchBookmarks=true&timeoutSeconds=300",
    );
    expect(s.transport.open()).toBe(0);
  });

  it("throws an ERROR event after the preceding events", async () => {
    const s = setup({
      body: [
        event("ADDED", pod) +
          event("ERROR", { kind: "Status", code: 410, reason: "Expired", message: "too old" }) +
          event("ADDED", pod),
      ],
    });
    const watch = s.pods.watch();
    expect((await watch.next()).value).toMatchObject({ type: "ADDED" });
    await expect(watch.next()).rejects.toThrow('watch pods in "apps": 410 Expired: too old');
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(s.transport.open()).toBe(0);
  });

  it("rejects the first next() if the server refuses, without an unhandled rejection if next() isn't called", async () => {
    const s = setup(status(403, "Forbidden", "no"), status(403, "Forbidden", "no"));
    await expect(s.pods.watch().next()).rejects.toMatchObject({ code: 403 });
    s.pods.watch();
    await new Promise((resolve) => setImmediate(resolve));
  });

  it("return() ends a pending next() immediately", async () => {
    const s = setup({ body: [event("ADDED", pod), "hang"] });
    const watch = s.pods.watch();
    await watch.next();
    const pending = watch.next();
    await watch.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(s.transport.open()).toBe(0);
  });

  it("an abort drops events that have arrived but weren't read", async () => {
    const s = setup({ body: [event("ADDED", pod) + event("MODIFIED", pod)] });
    const controller = new AbortController();
    const watch = s.pods.watch({ signal: controller.signal });
    expect((await watch.next()).value).toMatchObject({ type: "ADDED" });
    controller.abort(new Error("enough"));
    await expect(watch.next()).rejects.toThrow("enough");
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(s.transport.open()).toBe(0);
  });

  it("an abort rejects a pending next() with the signal's reason", async () => {
    const s = setup({ body: [event("ADDED", pod), "hang"] });
    const controller = new AbortController();
    const watch = s.pods.watch({ signal: controller.signal });
    await watch.next();
    const pending = watch.next().catch((e: unknown) => e);
    controller.abort("why");
    expect(await pending).toBe("why");
    expect((await watch.next()).done).toBe(true);
  });

  it("idleTimeoutMs ends a silent watch but ignores a slow reader", async () => {
    const timers = new Map<number, () => void>();
    let now = 0;
    let id = 0;
    const clock = {
      now: () => now,
      monotonic: () => now,
      setTimer: (callback: () => void, ms: number) => {
        const at = ++id;
        timers.set(at, callback);
        void ms;
        return { cancel: () => void timers.delete(at) };
      },
    };
    const fire = (): void => {
      for (const [at, callback] of [...timers]) {
        timers.delete(at);
        callback();
      }
    };
    const transport = scripted({ body: [event("ADDED", pod), event("ADDED", pod), "hang"] });
    const watch = createClient({ transport, clock }).resource(Pod).namespace("apps").watch({ idleTimeoutMs: 1000 });
    await watch.next();
    now = 5000;
    fire();
    expect((await watch.next()).done).toBe(false);
    const pending = watch.next().catch((e: unknown) => e);
    await Promise.resolve();
    now = 5999;
    fire();
    now = 6001;
    fire();
    expect(await pending).toMatchObject({
      name: "TransportError",
      code: "ETIMEDOUT",
      message: 'watch pods in "apps": received no data for 1000 ms',
    });
    expect(timers.size).toBe(0);
  });

  it.each([
    ["a malformed event", [event("ADDED", pod), "{oops}\n"], "ProtocolError"],
    ["a truncated event", [event("ADDED", pod), '{"type":"ADD'], "ProtocolError"],
    ["a broken connection", [event("ADDED", pod), new TransportError("reset")], "TransportError"],
    [
      "an object of another kind",
      [event("ADDED", pod), event("ADDED", { kind: "Secret", apiVersion: "v1", metadata: { name: "a" } })],
      "ProtocolError",
    ],
    [
      "a Status instead of an object",
      [event("ADDED", pod), event("MODIFIED", { kind: "Status", code: 500 })],
      "ProtocolError",
    ],
    ["a bookmark without a version", [event("ADDED", pod), event("BOOKMARK", {})], "ProtocolError"],
  ])("throws an error for %s", async (_, body, name) => {
    const s = setup({ body });
    const watch = s.pods.watch();
    await watch.next();
    await expect(watch.next()).rejects.toMatchObject({
      name,
      message: expect.stringMatching(/^watch pods in "apps": /) as string,
    });
  });

  it("rejects a stream with an unknown content type", async () => {
    const s = setup({ headers: { "content-type": "text/html" }, body: "<html>" });
    await expect(s.pods.watch().next()).rejects.toThrow("text/html");
    expect(s.transport.open()).toBe(0);
  });

  it("rejects with a ClosedError when the client closes", async () => {
    const s = setup({ body: ["hang"] });
    const pending = s.client
      .resource(Namespace)
      .watch()
      .next()
      .catch((e: unknown) => e);
    await new Promise((resolve) => setImmediate(resolve));
    await s.client.close();
    expect(await pending).toBeInstanceOf(ClosedError);
  });
});
