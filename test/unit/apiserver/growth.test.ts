// The cost of a request doesn't grow with what is stored, nor with watches of other objects. Counts steps instead of
// time, so that the result doesn't depend on the machine.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { type StepCounter, startCounting } from "../../support/count-steps.js";

const pods = "/api/v1/namespaces/shop/pods";

function pod(name: string, labels: Readonly<Record<string, string>> = {}): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels },
    spec: { containers: [{ name: "main", image: "web" }] },
  };
}

/** Creates a server with a number of pods. One more has been deleted. */
async function serverWith(count: number): Promise<ApiServer> {
  const server = createApiServer();
  await server.load([
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "shop" } },
    ...Array.from({ length: count + 1 }, (_, i) => pod(`pod-${String(i).padStart(5, "0")}`)),
  ]);
  await send(server, "DELETE", `/pod-${String(count).padStart(5, "0")}`, { gracePeriodSeconds: 0 });
  return server;
}

async function send(
  server: ApiServer,
  method: string,
  path: string,
  body?: object,
  type = "application/json",
): Promise<string> {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } };
  const response = await server.handle(new Request(`http://server${pods}${path}`, { method, ...init }));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

type Row = (server: ApiServer, run: number) => Promise<unknown>;

const labels = (run: number): object => ({ metadata: { labels: { run: String(run) } } });
const rows: Readonly<Record<string, Row>> = {
  get: (server) => send(server, "GET", "/pod-00003"),
  create: (server, run) => send(server, "POST", "", pod(`new-${String(run)}`)),
  update: (server, run) => send(server, "PUT", "/pod-00004", pod("pod-00004", { run: String(run) })),
  "merge patch": (server, run) => send(server, "PATCH", "/pod-00005", labels(run), "application/merge-patch+json"),
  "strategic merge patch": (server, run) =>
    send(server, "PATCH", "/pod-00006", labels(run), "application/strategic-merge-patch+json"),
  apply: (server, run) =>
    send(
      server,
      "PATCH",
      "/pod-00007?fieldManager=me&force=true",
      pod("pod-00007", { run: String(run) }),
      "application/apply-patch+yaml",
    ),
  "status patch": (server, run) =>
    send(server, "PATCH", "/pod-00008/status", { status: { message: String(run) } }, "application/merge-patch+json"),
  "page of a list": (server) => send(server, "GET", "?limit=10"),
  delete: (server, run) => send(server, "DELETE", `/new-${String(run)}`, { gracePeriodSeconds: 0 }),
};

describe("steps of a request", () => {
  let small: ApiServer;
  let large: ApiServer;
  let steps: StepCounter;
  let updates = 100;

  beforeAll(async () => {
    [small, large] = await Promise.all([serverWith(20), serverWith(600)]);
    for (const server of [small, large]) {
      // What is loaded or compiled with the first request.
      for (const row of Object.values(rows)) await row(server, 0);
      await server.settled();
    }
    steps = startCounting();
  });

  afterAll(async () => {
    steps.stop();
    await Promise.all([small.close(), large.close()]);
  });

  it.each(Object.keys(rows))("%s doesn't take more if many objects are stored", async (name) => {
    const count = (server: ApiServer): Promise<number> => steps.count((run) => rows[name]!(server, run));
    const least = await count(small);
    expect(least).toBeGreaterThan(50);
    // Thirty times as many objects; a search by halves takes a few steps more.
    expect(await count(large)).toBeLessThan(least * 1.25 + 50);
  });

  /**
   * Returns the steps of an update before and after watches are opened, each time by the given number of them. Those that
   * see the update are read until they have shown it.
   */
  async function stepsWithWatches(numbers: readonly number[], query?: (index: number) => string): Promise<number[]> {
    const watches: ReadableStreamDefaultReader<Uint8Array>[] = [];
    const update = (): Promise<number> =>
      steps.count(async () => {
        await rows["update"]!(small, ++updates);
        if (query === undefined) for (const watch of watches) expect((await watch.read()).done).toBe(false);
      });
    const gone = new AbortController();
    const counts = [await update()];
    try {
      for (const number of numbers) {
        const list = JSON.parse(await send(small, "GET", "?limit=1")) as { metadata: { resourceVersion: string } };
        const url = `http://server${pods}?watch=1&resourceVersion=${list.metadata.resourceVersion}`;
        for (let i = 0; i < number; i++) {
          const request = new Request(`${url}${query?.(i) ?? ""}`, { signal: gone.signal });
          watches.push((await small.handle(request)).body!.getReader());
        }
        counts.push(await update());
      }
    } finally {
      gone.abort();
    }
    return counts;
  }

  it("a write doesn't take more for watches of other objects", async () => {
    const others = ["metadata.name%3Dother", "spec.nodeName%3Dnode-1"];
    const [before, after] = await stepsWithWatches([60], (index) => `&fieldSelector=${others[index % 2]!}`);
    expect(after).toBeLessThan(before! * 1.25 + 50);
  });

  it("a write takes the same for each watch that sees it", async () => {
    const [before, few, many] = await stepsWithWatches([20, 60]);
    expect(few! - before!).toBeGreaterThan(20);
    // Four times as many watches. If each write did something for each pair of them, this would be 16.
    expect((many! - before!) / (few! - before!)).toBeLessThan(6);
  });
});
