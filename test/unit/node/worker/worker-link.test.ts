import { describe, expect, it } from "vitest";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { ClosedError, TransportError } from "../../../../src/errors/errors.js";
import { linkAbort } from "../../../../src/internal/abort.js";
import { codecInWorker } from "../../../../src/node/worker/delta-reader.js";
import { DeltaWriter, SentBases } from "../../../../src/node/worker/delta-writer.js";
import type { FromWorker, ToWorker } from "../../../../src/node/worker/messages.js";
import { windowBytes } from "../../../../src/node/worker/messages.js";
import { type StartedWorker, WorkerLink } from "../../../../src/node/worker/worker-link.js";
import { createDecodingWorkerMetrics } from "../../../../src/node/worker/worker-metrics.js";
import type { TransportResponse } from "../../../../src/transport/transport.js";
import { workloadPod } from "../../../bench/workload-pods.mjs";
import { createVirtualClock } from "../../../support/virtual-clock.js";

/** A worker that does what the test says. */
function createFakeWorker() {
  const messages: ToWorker[] = [];
  let receive: (message: FromWorker) => void = () => undefined;
  let end: (error: Error | undefined) => void = () => undefined;
  const fake = {
    messages,
    referenced: true,
    ended: false,
    answer: (message: FromWorker) => receive(message),
    crash: (error?: Error) => end(error),
    started: {
      postMessage: (message) => void messages.push(message),
      onMessage: (callback) => (receive = callback),
      onEnd: (callback) => (end = callback),
      ref: () => void (fake.referenced = true),
      unref: () => void (fake.referenced = false),
      end: () => {
        fake.ended = true;
        return Promise.resolve();
      },
    } satisfies StartedWorker as StartedWorker,
  };
  return fake;
}

function setUp() {
  const clock = createVirtualClock();
  const workers: ReturnType<typeof createFakeWorker>[] = [];
  const link = new WorkerLink(() => {
    const worker = createFakeWorker();
    workers.push(worker);
    return worker.started;
  }, clock);
  const pool = link.openPool({ server: "http://127.0.0.1:1" });
  const send = (abort = linkAbort()) =>
    link.send(pool, { method: "GET", path: "/api/v1/pods?watch=1", headers: { accept: "application/json" }, abort });
  return { clock, workers, link, pool, send };
}

const head = (stream: number): FromWorker => ({ type: "head", stream, status: 200, headers: { "x-a": "b" } });
const chunk = (stream: number, length: number): FromWorker => ({
  type: "chunk",
  stream,
  buffer: new ArrayBuffer(length),
  length,
});

async function lengths({ body }: TransportResponse): Promise<number[]> {
  const found: number[] = [];
  for await (const { length } of body) found.push(length);
  return found;
}

describe("the connection to a decoding worker", () => {
  it("starts the worker with the first request, with the pools that were opened before", async () => {
    const { workers, link, send } = setUp();
    expect(link.status).toEqual({ state: "idle", responses: 0, bytes: 0, failures: 0, error: undefined });
    const sent = send();
    const [worker] = workers;
    expect(worker!.messages.map(({ type }) => type)).toEqual(["open", "send"]);
    worker!.answer(head(1));
    const response = await sent;
    expect([response.status, response.headers.get("X-A"), response.headers.get("constructor")]).toEqual([
      200,
      "b",
      null,
    ]);
    worker!.answer(chunk(1, 3));
    worker!.answer(chunk(1, 5));
    worker!.answer({ type: "end", stream: 1 });
    expect(await lengths(response)).toEqual([3, 5]);
    expect(link.status).toMatchObject({ state: "running", responses: 0, bytes: 8 });
  });

  it("reports its state as metrics, and none without a worker", async () => {
    const { workers, link, send } = setUp();
    const source = createDecodingWorkerMetrics({
      get decodingWorker() {
        return link.status;
      },
    });
    const series = (): (string | number)[][] =>
      source
        .collect()
        .map(({ name, samples }) => [
          name.replace("kubestream_decoding_worker_", ""),
          ...samples.map(({ value }) => value as number),
        ]);
    expect(series()).toEqual([
      ["running", 0],
      ["responses", 0],
      ["received_bytes_total", 0],
      ["failures_total", 0],
    ]);
    const sent = send();
    const [worker] = workers;
    worker!.answer(head(1));
    const { body } = await sent;
    worker!.answer(chunk(1, 7));
    const running = series();
    worker!.crash();
    expect([running, series()]).toEqual([
      [
        ["running", 1],
        ["responses", 1],
        ["received_bytes_total", 7],
        ["failures_total", 0],
      ],
      [
        ["running", 0],
        ["responses", 0],
        ["received_bytes_total", 7],
        ["failures_total", 1],
      ],
    ]);
    await expect(lengths({ body } as TransportResponse)).rejects.toThrow(TransportError);
    const none = createDecodingWorkerMetrics({}).collect();
    expect(none.map(({ samples }) => samples)).toEqual([[], [], [], []]);
  });

  it("keeps the process alive only while a response is read", async () => {
    const { workers, send } = setUp();
    const sent = send();
    const [worker] = workers;
    expect(worker!.referenced).toBe(true);
    worker!.answer(head(1));
    const response = await sent;
    expect(worker!.referenced).toBe(true);
    worker!.answer({ type: "end", stream: 1 });
    expect(worker!.referenced).toBe(false);
    expect(await lengths(response)).toEqual([]);
  });

  it("rejects with the reason of an abort, before and after the headers", async () => {
    const { workers, link, send } = setUp();
    const early = linkAbort();
    const late = linkAbort();
    const first = send(early);
    const second = send(late);
    const [worker] = workers;
    early.abort(new Error("early"));
    await expect(first).rejects.toThrow("early");
    worker!.answer(head(2));
    const response = await second;
    worker!.answer(chunk(2, 3));
    late.abort(new Error("late"));
    await expect(lengths(response)).rejects.toThrow("late");
    expect(worker!.messages.slice(3)).toEqual([
      { type: "abort", stream: 1 },
      { type: "abort", stream: 2 },
    ]);
    // Messages that were on their way.
    worker!.answer(head(1));
    worker!.answer(chunk(2, 3));
    worker!.answer({ type: "end", stream: 2 });
    expect(link.status.responses).toBe(0);
    expect(worker!.referenced).toBe(false);
  });

  it("stops the worker's request when the reader leaves the body", async () => {
    const { workers, send } = setUp();
    const sent = send();
    const [worker] = workers;
    worker!.answer(head(1));
    worker!.answer(chunk(1, 3));
    for await (const { length } of (await sent).body) {
      expect(length).toBe(3);
      break;
    }
    expect(worker!.messages.at(-1)).toEqual({ type: "abort", stream: 1 });
  });

  it("lets the worker send more only after the reader took enough", async () => {
    const { workers, send } = setUp();
    const sent = send();
    const [worker] = workers;
    worker!.answer(head(1));
    const { body } = await sent;
    const part = windowBytes / 4;
    const credits = (): number =>
      worker!.messages.reduce((sum, message) => sum + (message.type === "credit" ? message.bytes : 0), 0);
    // The body holds 256 KiB before it pauses.
    for (let i = 0; i < 4; i++) worker!.answer(chunk(1, part));
    expect(credits()).toBe(part);
    const iterator = body[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) await iterator.next();
    expect(credits()).toBe(part);
    await iterator.next();
    expect(credits()).toBe(4 * part);
    await iterator.return?.();
  });

  it("turns the worker's failures into errors of the same class", async () => {
    const { workers, send } = setUp();
    const refused = send();
    const [worker] = workers;
    worker!.answer({
      type: "fail",
      stream: 1,
      error: { name: "TransportError", message: "connection refused", code: "ECONNREFUSED", cause: "connect" },
    });
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ message: "connection refused", code: "ECONNREFUSED", cause: { message: "connect" } });
    const sent = send();
    worker!.answer(head(2));
    worker!.answer({
      type: "fail",
      stream: 2,
      error: { name: "TransportError", message: "reset", code: "ECONNRESET" },
    });
    await expect(lengths(await sent)).rejects.toMatchObject({ message: "reset", code: "ECONNRESET" });
  });

  it("fails each response once when the worker crashes, and starts another one after a growing back-off", async () => {
    const { clock, workers, link, send } = setUp();
    const opening = send();
    const open = send();
    workers[0]!.answer(head(2));
    const response = await open;
    workers[0]!.crash(new Error("out of memory"));
    const message = "the decoding worker ended unexpectedly: out of memory";
    await expect(opening).rejects.toThrow(message);
    await expect(lengths(response)).rejects.toThrow(message);
    expect(link.status).toMatchObject({ state: "waiting", responses: 0, failures: 1, error: { message } });
    expect(link.isAvailable).toBe(false);
    await clock.advance(1_000);
    expect(link.isAvailable).toBe(true);
    const again = send();
    expect(workers[1]!.messages.map(({ type }) => type)).toEqual(["open", "send"]);
    workers[1]!.crash();
    await expect(again).rejects.toThrow("the decoding worker ended unexpectedly");
    await clock.advance(1_999);
    expect(link.isAvailable).toBe(false);
    await clock.advance(1);
    // A response ends the growth.
    const third = send();
    workers[2]!.answer(head(4));
    await third;
    workers[2]!.crash();
    await clock.advance(1_000);
    expect(link.isAvailable).toBe(true);
    // What a dead worker still says is ignored.
    workers[0]!.answer(chunk(2, 3));
    workers[0]!.crash();
    expect(link.status.failures).toBe(3);
  });

  it("reads a chunk of a crashed worker after the next worker numbered its bases in the same way", async () => {
    const { clock, workers, send } = setUp();
    const codec = protobuf();
    const bytes = (from: number): Uint8Array =>
      codec.encode({
        kind: "PodList",
        apiVersion: "v1",
        metadata: {},
        items: Array.from({ length: 5 }, (_, i) => workloadPod(from + i)),
      });
    const chunkOf = (stream: number, whole: Uint8Array): FromWorker => {
      const buffer = new DeltaWriter(codec, false, {}, new SentBases()).write([whole], whole.length);
      return { type: "chunk", stream, buffer, length: whole.length };
    };
    const first = send();
    workers[0]!.answer(head(1));
    workers[0]!.answer(chunkOf(1, bytes(0)));
    const iterator = (await first).body[Symbol.asyncIterator]();
    workers[0]!.crash();
    await clock.advance(1_000);
    const second = send();
    workers[1]!.answer(head(2));
    workers[1]!.answer(chunkOf(2, bytes(1_000)));
    await second;
    const { value } = await iterator.next();
    const decoder = codecInWorker(codec).createListDecoder({ lazy: true, pool: {} });
    expect(JSON.stringify(decoder.push(value!))).toBe(JSON.stringify(codec.createListDecoder().push(bytes(0))));
  });

  it("fails requests like those of a crashed worker if no worker can be started", async () => {
    const clock = createVirtualClock();
    const link = new WorkerLink(() => {
      throw new Error("no threads left");
    }, clock);
    const pool = link.openPool({ server: "http://127.0.0.1:1" });
    const sent = link.send(pool, { method: "GET", path: "/", headers: {}, abort: linkAbort() });
    await expect(sent).rejects.toThrow("the decoding worker ended unexpectedly: no threads left");
    expect(link.status).toMatchObject({ state: "waiting", failures: 1, responses: 0 });
    await link.close();
  });

  it("closes pools and the worker, and fails what still runs", async () => {
    const { workers, link, pool, send } = setUp();
    const sent = send();
    const [worker] = workers;
    const drained = link.endPool(pool, "drain");
    const closed = link.endPool(pool, "close");
    expect(worker!.messages.slice(2).map(({ type }) => type)).toEqual(["drain", "close"]);
    expect(worker!.referenced).toBe(true);
    worker!.answer({ type: "closed", pool: pool.number });
    worker!.answer({ type: "closed", pool: pool.number });
    await Promise.all([drained, closed]);
    await link.close();
    await expect(sent).rejects.toBeInstanceOf(ClosedError);
    expect([worker!.ended, link.status.state, link.isAvailable]).toEqual([true, "closed", false]);
  });
});
