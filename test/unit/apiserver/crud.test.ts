import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { sendJson } from "../../support/send-json.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

interface Answer {
  status: number;
  body: {
    metadata: Record<string, string>;
    items: { metadata: { name: string } }[];
    message: string;
    data?: Record<string, string>;
  };
}

const send = (method: string, path: string, body?: unknown, type?: string): Promise<Answer> =>
  sendJson(server, { method, path, body, type });

const collection = "/api/v1/namespaces/default/configmaps";
const create = (name: string, data: Record<string, string> = {}): Promise<Answer> =>
  send("POST", collection, { metadata: { name }, data });

describe("API server objects", () => {
  it("sets uid, resourceVersion and creationTimestamp of a new object", async () => {
    const { status, body } = await create("a", { k: "v" });
    expect(status).toBe(201);
    expect(Object.keys(body.metadata).sort()).toEqual([
      "creationTimestamp",
      "managedFields",
      "name",
      "namespace",
      "resourceVersion",
      "uid",
    ]);
  });

  it("rejects an update with a stale resourceVersion and accepts the current one", async () => {
    const first = await create("a");
    const put = (resourceVersion: string, v: string): Promise<Answer> =>
      send("PUT", `${collection}/a`, { metadata: { name: "a", resourceVersion }, data: { v } });
    const version = first.body.metadata.resourceVersion!;
    expect((await put(version, "1")).status).toBe(200);
    const refused = await put(version, "2");
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ]);
  });

  it("keeps the resourceVersion when a patch changes nothing", async () => {
    const first = await create("a", { k: "v" });
    const patched = await send("PATCH", `${collection}/a`, { data: { k: "v" } }, "application/merge-patch+json");
    expect(patched.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it("treats the keys __proto__ and constructor as data", async () => {
    await send("POST", collection, JSON.parse('{"metadata":{"name":"p"},"data":{"__proto__":"x","constructor":"y"}}'));
    const { body } = await send("GET", `${collection}/p`);
    expect(Object.entries(body.data!)).toEqual([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]);
  });
});

describe("paginated lists", () => {
  it("read every page from the snapshot of the first", async () => {
    for (const name of ["a", "b", "c", "d", "e"]) await create(name);
    const first = await send("GET", `${collection}?limit=2`);
    expect([first.body.items.map((item) => item.metadata.name), first.body.metadata.remainingItemCount]).toEqual([
      ["a", "b"],
      3,
    ]);
    await send("DELETE", `${collection}/d`);
    await create("bb");
    const second = await send("GET", `${collection}?limit=9&continue=${first.body.metadata.continue!}`);
    expect([second.body.items.map((item) => item.metadata.name), second.body.metadata.resourceVersion]).toEqual([
      ["c", "d", "e"],
      first.body.metadata.resourceVersion,
    ]);
  });

  it("answer 410 with a token for an inconsistent continuation after compaction", async () => {
    for (const name of ["a", "b", "c"]) await create(name);
    const first = await send("GET", `${collection}?limit=1`);
    await create("bb");
    server.compact();
    const gone = await send("GET", `${collection}?continue=${first.body.metadata.continue!}`);
    expect(gone.status).toBe(410);
    const rest = await send("GET", `${collection}?continue=${gone.body.metadata.continue!}`);
    expect(rest.body.items.map((item) => item.metadata.name)).toEqual(["b", "bb", "c"]);
  });
});

describe("watches", () => {
  async function events(path: string, count: number, during: () => Promise<unknown>): Promise<string[]> {
    const controller = new AbortController();
    const response = await server.handle(new Request(`http://server${path}`, { signal: controller.signal }));
    await during();
    const seen: string[] = [];
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    while (seen.length < count) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += value;
      const lines = rest.split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const event = JSON.parse(line) as { type: string; object: { metadata?: { name?: string } } };
        seen.push(`${event.type} ${event.object.metadata?.name ?? ""}`);
      }
    }
    await reader.cancel();
    return seen;
  }

  it("replay all changes since a version that is still in the history", async () => {
    const first = await create("a");
    await create("b");
    await send("DELETE", `${collection}/a`);
    const seen = await events(`${collection}?watch=1&resourceVersion=${first.body.metadata.resourceVersion!}`, 3, () =>
      create("c"),
    );
    expect(seen).toEqual(["ADDED b", "DELETED a", "ADDED c"]);
  });

  it("report objects that move across a selector as ADDED or DELETED", async () => {
    await send("POST", collection, { metadata: { name: "a", labels: { on: "y" } } });
    const label = (on: string): Promise<Answer> =>
      send("PATCH", `${collection}/a`, { metadata: { labels: { on } } }, "application/merge-patch+json");
    const seen = await events(`${collection}?watch=1&labelSelector=on%3Dy`, 3, async () => {
      await label("n");
      await label("y");
    });
    expect(seen).toEqual(["ADDED a", "DELETED a", "ADDED a"]);
  });

  it("send the initial state and a bookmark when requested", async () => {
    await create("a");
    const seen = await events(
      `${collection}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      3,
      () => create("b"),
    );
    expect(seen).toEqual(["ADDED a", "BOOKMARK ", "ADDED b"]);
  });
});

describe("snapshots", () => {
  it("restore the state and make older readers start over", async () => {
    await create("a", { k: "1" });
    const snapshot = server.snapshot();
    await send("DELETE", `${collection}/a`);
    const created = await create("b");
    server.restore(snapshot);
    expect((await send("GET", collection)).body.items.map((item) => item.metadata.name)).toEqual(["a"]);
    const response = await server.handle(
      new Request(`http://server${collection}?watch=1&resourceVersion=${created.body.metadata.resourceVersion!}`),
    );
    expect(await response.text()).toContain('"code":410');
  });
});
