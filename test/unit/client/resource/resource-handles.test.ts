import { describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { ClosedError } from "../../../../src/errors/errors.js";
import { isConflict } from "../../../../src/errors/predicates.js";
import { Node, Pod } from "../../../../src/kinds/core/v1.js";
import { bodyOf, scripted } from "../scripted-transport.js";
import { pod, setup, status } from "./resource-setup.js";

describe("resource handle ends calls:", () => {
  it("an abort rejects with the signal's reason, before and during a call", async () => {
    const s = setup({ hang: true });
    const reason = new Error("enough");
    await expect(s.pods.get("a", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(s.transport.requests).toHaveLength(0);
    const controller = new AbortController();
    const call = s.pods.get("a", { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it("an abort during the body rejects with the signal's reason", async () => {
    const s = setup({ body: ["{", "hang"] });
    const controller = new AbortController();
    const reason = { not: "an error" };
    const call = s.pods.get("a", { signal: controller.signal });
    const heard = call.catch((e: unknown) => e);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    expect(await heard).toBe(reason);
    expect(s.transport.open()).toBe(0);
  });

  it("closing the client rejects pending and later calls with a ClosedError", async () => {
    const s = setup({ hang: true });
    const call = s.pods.get("a").catch((e: unknown) => e);
    await s.client.close();
    expect(await call).toBeInstanceOf(ClosedError);
    expect(s.transport.closed()).toBe(true);
    await expect(s.pods.get("a")).rejects.toBeInstanceOf(ClosedError);
    await s.client.close();
  });
});

describe("update with a function", () => {
  const conflict = status(409, "Conflict", "modified");
  it("reads and writes the object again after a conflict", async () => {
    const transport = scripted(
      { body: pod },
      conflict,
      { body: { ...pod, metadata: { name: "a", resourceVersion: "8" } } },
      { body: { ...pod, metadata: { name: "a", resourceVersion: "9" } } },
    );
    const client = createClient({ transport, random: () => 0 });
    const seen: unknown[] = [];
    const updated = await client
      .resource(Pod)
      .namespace("apps")
      .update("a", (object) => {
        seen.push(object.metadata?.resourceVersion);
        object.metadata!.labels = { a: "b" };
      });
    expect(seen).toEqual(["7", "8"]);
    expect(updated.metadata?.resourceVersion).toBe("9");
    expect(transport.requests.map((r) => `${r.method} ${r.path}`)).toEqual(
      ["GET", "PUT", "GET", "PUT"].map((m) => `${m} /api/v1/namespaces/apps/pods/a`),
    );
    expect(bodyOf(transport.requests[3])).toMatchObject({ metadata: { resourceVersion: "8", labels: { a: "b" } } });
  });

  it("applies its options to each write", async () => {
    const s = setup({ body: pod }, conflict, { body: pod }, { body: pod });
    await s.pods.update("a", () => undefined, { dryRun: "All", fieldManager: "me" });
    expect(s.transport.requests.map(({ method, path }) => `${method} ${path.split("?")[1] ?? ""}`)).toEqual([
      "GET ",
      "PUT dryRun=All&fieldManager=me",
      "GET ",
      "PUT dryRun=All&fieldManager=me",
    ]);
  });

  it("throws the last conflict unchanged", async () => {
    const s = setup({ body: pod }, conflict, { body: pod }, conflict);
    await expect(s.pods.update("a", () => undefined, { maxAttempts: 2 })).rejects.toSatisfy(isConflict);
    expect(s.transport.requests).toHaveLength(4);
  });

  it("rejects a change that renames the object", async () => {
    const s = setup({ body: pod });
    await expect(s.pods.update("a", (o) => ({ ...o, metadata: { ...o.metadata, name: "b" } }))).rejects.toThrow(
      'must not rename "a" to "b"',
    );
  });
});

describe("resource handles", () => {
  it("share cacheScope and cacheKey if collection, view and user are the same", () => {
    const { client } = setup();
    const key = (handle: { cacheScope?: object; cacheKey?: string }): unknown[] => [handle.cacheScope, handle.cacheKey];
    const pods = (c = client) => c.resource(Pod).namespace("a");
    expect(key(pods())).toEqual(key(pods()));
    expect(pods().cacheScope).toBe(pods().cacheScope);
    const identities = [
      pods(),
      pods().metadataOnly(),
      pods().asTable(),
      pods().asTable({ includeObject: "Object" }),
      client.resource(Pod),
      client.resource(Pod).namespace("b"),
      client.resource(Node),
    ].map((handle) => handle.cacheKey);
    expect(new Set(identities).size).toBe(identities.length);
    expect(pods(client.derive({ headers: { "impersonate-user": "x" } })).cacheScope).not.toBe(pods().cacheScope);
  });
});
