import { describe, expect, it } from "vitest";
import type { Client } from "../../../src/client/client.js";
import { ClosedError } from "../../../src/errors/errors.js";
import { isForbidden } from "../../../src/errors/predicates.js";
import { type Clock, systemClock } from "../../../src/internal/clock.js";
import { followPodLogs, type PodLogs, type PodLogsOptions } from "../../../src/streams/follow-pod-logs.js";
import type { PodLogLine } from "../../../src/streams/pod-log-line.js";

import { startPodsWithLogs } from "./pods-with-logs.js";

const backoff = { initialMs: 1, factor: 1, capMs: 1, jitter: 0 };
const follow = (client: Client, options: PodLogsOptions = {}): PodLogs =>
  followPodLogs(client, { namespace: "default", labelSelector: "app=web", backoff, ...options });
const read = async (logs: PodLogs): Promise<PodLogLine> => {
  const { value, done } = (await logs.next()) as IteratorResult<PodLogLine, undefined>;
  if (done === true) throw new Error("the logs have ended");
  return value;
};
const text = async (logs: PodLogs): Promise<string> => {
  const { pod, container, text: line } = await read(logs);
  return `${pod} ${container} ${line}`;
};

describe("followPodLogs", () => {
  it("merges the lines of all containers, and of pods that are created later", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add, logs } = cluster;
    const a = await add("a", ["main", "side"]);
    a.write("01.5", "hello");
    await using lines = follow(client);
    expect(await read(lines)).toEqual({
      namespace: "default",
      pod: "a",
      container: "main",
      time: "2026-01-01T00:00:01.5Z",
      text: "hello",
      color: expect.any(Number) as number,
    });
    logs.get("a side")!.write("02", "from the side");
    expect(await text(lines)).toBe("a side from the side");
    const b = await add("b");
    b.write("03", "later");
    expect(await text(lines)).toBe("b main later");
    expect(a.requests).toEqual(["10 - -"]);
    expect(b.requests).toEqual(["- - -"]);
  });

  it("resumes a stream that breaks in the middle of a second without losing or repeating lines", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add } = cluster;
    const errors: string[] = [];
    const log = await add("a");
    await using lines = follow(client, { onError: (error, { pod }) => errors.push(`${pod}: ${String(error)}`) });
    log.write("01.1", "one");
    log.write("01.2", "two");
    expect([await text(lines), await text(lines)]).toEqual(["a main one", "a main two"]);
    log.end(new Error("cut off"));
    log.write("01.2", "three");
    log.write("01.3", "four");
    expect([await text(lines), await text(lines)]).toEqual(["a main three", "a main four"]);
    expect(log.requests).toEqual(["10 - -", "- - 2026-01-01T00:00:01.2Z"]);
    expect(errors).toEqual([expect.stringContaining("a: ") as string]);
  });

  it("follows a container over its restart", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add, setRuns } = cluster;
    const log = await add("a");
    log.write("01", "first run");
    await using lines = follow(client, { tailLines: 1 });
    expect(await text(lines)).toBe("a main first run");
    log.isOver = true;
    log.end();
    const terminated = { exitCode: 1, containerID: "test://a-main-1" };
    await setRuns("a", [{ containerID: "test://a-main-1", state: { terminated } }]);
    log.lines.length = 0;
    log.isOver = false;
    await setRuns("a", [{ containerID: "test://a-main-2", restartCount: 1 }]);
    log.write("02", "second run");
    log.write("03", "goes on");
    expect([await text(lines), await text(lines)]).toEqual(["a main second run", "a main goes on"]);
  });

  it("doesn't repeat the lines of a restarted container that it read before the restart was reported", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add, setRuns } = cluster;
    const log = await add("a");
    log.write("01", "first run");
    await using lines = follow(client);
    expect(await text(lines)).toBe("a main first run");
    log.lines.length = 0;
    log.write("02", "second run");
    expect(await text(lines)).toBe("a main second run");
    await setRuns("a", [{ containerID: "test://a-main-2", restartCount: 1 }]);
    log.end(new Error("cut off"));
    log.write("03", "goes on");
    expect(await text(lines)).toBe("a main goes on");
  });

  it("reads the rest of a deleted pod's log, and requests it no more", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, pods, add } = cluster;
    const [gone, other] = [await add("gone"), await add("other")];
    await using lines = follow(client);
    gone.write("01", "hello");
    expect(await text(lines)).toBe("gone main hello");
    await pods.delete("gone", { gracePeriodSeconds: 0 });
    gone.write("02", "goodbye");
    // Events arrive in order: this pod's line comes after the deletion was seen.
    (await add("later")).write("03", "hello");
    expect([await text(lines), await text(lines)].sort()).toEqual(["gone main goodbye", "later main hello"]);
    gone.end();
    other.write("04", "still here");
    expect(await text(lines)).toBe("other main still here");
    expect(gone.requests).toEqual(["10 - -"]);
  });

  it("follows only the selected containers, from the given age", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add, logs } = cluster;
    await add("a", ["main", "side"]);
    const seen: string[] = [];
    await using lines = follow(client, {
      sinceSeconds: 60,
      containers: ({ container }, kind) => {
        seen.push(`${kind} ${container}`);
        return container === "side";
      },
    });
    logs.get("a side")!.write("01", "hello");
    expect(await text(lines)).toBe("a side hello");
    expect(logs.get("a side")!.requests).toEqual(["- 60 -"]);
    expect(logs.get("a main")!.requests).toEqual([]);
    expect(seen).toEqual(["init init", "container main", "container side"]);
  });

  it("opens at most maxStreams logs, and reports those that wait", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, pods, add } = cluster;
    const [a, b] = [await add("a"), await add("b")];
    const waits = new Set<string>();
    await using lines = follow(client, {
      maxStreams: 1,
      onError: (error, { pod }) => waits.add(`${pod} ${(error as Error).name}`),
    });
    a.write("01", "hello");
    expect(await text(lines)).toBe("a main hello");
    expect([b.requests.length, [...waits]]).toEqual([0, ["b RangeError"]]);
    b.write("02", "my turn");
    await pods.delete("a", { gracePeriodSeconds: 0 });
    a.end();
    expect(await text(lines)).toBe("b main my turn");
  });

  it("closes every stream when the reader leaves", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add } = cluster;
    const log = await add("a");
    log.write("01", "hello");
    for await (const { text: line } of follow(client)) {
      expect([line, log.open]).toEqual(["hello", 1]);
      break;
    }
    await expect.poll(() => log.open).toBe(0);
  });

  it("rejects with the signal's reason, and when the client is closed", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add } = cluster;
    await add("a");
    const abort = new AbortController();
    const lines = follow(client, { signal: abort.signal });
    const next = lines.next();
    abort.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    const aborted = follow(client, { signal: abort.signal });
    await expect(aborted.next()).rejects.toThrow("enough");
    const others = follow(client).next();
    let listed = 0;
    const none = follow(client, {
      containers: () => {
        listed++;
        return false;
      },
    }).next();
    await expect.poll(() => listed).toBeGreaterThan(0);
    await client.close();
    await expect(others).rejects.toBeInstanceOf(ClosedError);
    await expect(none).rejects.toBeInstanceOf(ClosedError);
  });

  it("rejects if the server refuses the list of pods", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, forbidden } = cluster;
    forbidden.add("/api/v1/namespaces/default/pods");
    const clock: Clock = { ...systemClock, setTimer: (call, ms) => systemClock.setTimer(call, ms / 1_000) };
    await expect(follow(client, { clock }).next()).rejects.toSatisfy(isForbidden);
  });

  it("lets at most a mebibyte wait for the reader", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add } = cluster;
    const log = await add("a");
    const line = "x".repeat(60_000);
    const count = 100;
    log.source = Array.from({ length: count }, (_, index) => `2026-01-01T00:00:01.${100 + index}Z ${line}`);
    await using lines = follow(client);
    expect((await read(lines)).text).toBe(line);
    await expect.poll(() => log.pulled).toBeGreaterThan(17);
    let most = 0;
    for (let taken = 2; taken <= count; taken++) {
      expect((await read(lines)).text).toBe(line);
      most = Math.max(most, log.pulled - taken);
    }
    expect(most).toBeLessThan(25);
  });

  it("reports a refused log, and follows the others", async () => {
    await using cluster = await startPodsWithLogs();
    const { client, add, forbidden } = cluster;
    await add("a");
    const other = await add("other");
    forbidden.add("a");
    const errors: unknown[] = [];
    await using lines = follow(client, { onError: (error) => errors.push(error) });
    await expect.poll(() => errors.length).toBeGreaterThan(2);
    expect(errors.every(isForbidden)).toBe(true);
    other.write("01", "hello");
    expect(await text(lines)).toBe("other main hello");
  });

  it.each([
    ["maxStreams", 0],
    ["maxLineBytes", 1.5],
  ])("throws a RangeError for %s: %d", async (name, value) => {
    await using cluster = await startPodsWithLogs();
    const { client } = cluster;
    expect(() => follow(client, { [name]: value })).toThrow(`${name} must be a positive integer, not ${value}`);
  });
});
