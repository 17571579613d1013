import { describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { ConfigError, ProtocolError } from "../../../../src/errors/errors.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { deleteCollectionPages } from "../../../../src/operations/delete-collection-pages.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { fakeClock } from "../fake-clock.js";

/** Returns pods of a server that calls `page` with the number of the request, from 1, and its continue token. */
function podsOf(page: (request: number, token: string | null) => { names: readonly string[]; next?: string } | number) {
  const clock = fakeClock({ auto: true });
  let requests = 0;
  const transport = handlerTransport((request) => {
    const answer = page(++requests, new URL(request.url).searchParams.get("continue"));
    if (typeof answer === "number") {
      const metadata = { continue: `fresh${String(requests)}` };
      const status = { kind: "Status", apiVersion: "v1", metadata, status: "Failure", code: answer, reason: "Expired" };
      return Promise.resolve(Response.json(status, { status: answer }));
    }
    return Promise.resolve(
      Response.json({
        kind: "PodList",
        apiVersion: "v1",
        metadata: { resourceVersion: "1", ...(answer.next !== undefined && { continue: answer.next }) },
        items: answer.names.map((name) => ({ metadata: { name } })),
      }),
    );
  });
  const client = createClient({ transport, clock, random: () => 0, retry: false });
  return { pods: client.resource(Pod).namespace("default"), waits: clock.waits, requests: () => requests };
}

async function names(pages: AsyncIterable<{ items: readonly { metadata?: { name?: string } }[] }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { items } of pages) found.push(...items.map(({ metadata }) => metadata?.name ?? ""));
  return found;
}

describe("pages", () => {
  it("pause with growing delays once more than ten in a row were empty", async () => {
    const { pods, waits } = podsOf((request) =>
      request === 15 ? { names: ["a"] } : { names: [], next: `t${String(request)}` },
    );
    expect(await names(pods.pages({ timeoutMs: undefined }))).toEqual(["a"]);
    expect(waits.filter((ms) => ms < 60_000)).toEqual([100, 200, 400, 800]);
  });

  it("read few empty pages without a pause", async () => {
    const { pods, waits } = podsOf((request) => ({
      names: request % 10 === 0 ? ["a"] : [],
      ...(request < 40 && { next: `t${String(request)}` }),
    }));
    expect(await names(pods.pages())).toEqual(["a", "a", "a", "a"]);
    expect(waits.filter((ms) => ms < 60_000)).toEqual([]);
  });

  it.each<[string, (pods: ReturnType<typeof podsOf>["pods"]) => AsyncIterable<unknown>]>([
    ["pages", (pods) => pods.pages()],
    ["items", (pods) => pods.items()],
    ["deleteCollectionPages", (pods) => deleteCollectionPages(pods)],
  ])("of %s end with a ProtocolError if a page comes with its own token", async (_name, read) => {
    const { pods, requests } = podsOf(() => ({ names: ["a"], next: "t" }));
    const failure = await (async () => {
      for await (const each of read(pods)) void each;
    })().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProtocolError);
    expect((failure as Error).message).toContain("the list never ends");
    expect(requests()).toBe(2);
  });

  it("give up after three expired tokens in a row, each with a fresh one", async () => {
    const { pods, requests } = podsOf((request) => (request === 1 ? { names: ["a"], next: "t" } : 410));
    await expect(names(pods.pages({ onExpired: "continue" }))).rejects.toMatchObject({ code: 410 });
    expect(requests()).toBe(5);
  });

  it('with onExpired "restart" throw a ConfigError without onRestart, before any request', () => {
    const { pods, requests } = podsOf(() => ({ names: [] }));
    expect(() => pods.pages({ onExpired: "restart" })).toThrow(ConfigError);
    expect(() => pods.items({ onExpired: "restart" })).toThrow(
      'options.onRestart is required when options.onExpired is "restart"',
    );
    expect(requests()).toBe(0);
  });
});
