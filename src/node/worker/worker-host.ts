import type { MessagePort } from "node:worker_threads";
import type { Codec } from "../../codec/codec.js";
import { ClosedError, ConfigError, TransportError } from "../../errors/errors.js";
import { sleep, systemClock } from "../../internal/clock.js";
import type { BodyIterator, TransportResponse } from "../../transport/transport.js";
import { headersToRecord } from "../transport/dispatch-request.js";
import { createPooledTransport, type PooledTransport } from "../transport/undici-transport.js";
import { DeltaWriter, joinChunks, SentBases } from "./delta-writer.js";
import {
  type FromWorker,
  type ToWorker,
  type WorkerFailure,
  type WorkerPoolOptions,
  type WorkerRequest,
  windowBytes,
} from "./messages.js";

/** Least time between two chunks of a watch. Each wakes the main thread up, which takes longer than decoding an event. */
const pauseMs = 10;
/** Collections whose pools are kept. */
const mostScopes = 256;
/** Bytes after which a chunk is sent. */
const fullBytes = 128 * 1024;

/** A running request. */
interface Stream {
  readonly controller: AbortController;
  /** Bytes that may still be sent. */
  credit: number;
  /** Continues once there is credit. */
  resume: (() => void) | undefined;
}

/** Port to the main thread. */
type HostPort = Pick<MessagePort, "postMessage" | "on">;

/** Receives responses and computes the differences of their objects, on behalf of the thread at the other end of the port. */
export function runWorkerHost(port: HostPort): void {
  const pools = new Map<number, PooledTransport>();
  const streams = new Map<number, Stream>();
  const bases = new SentBases();
  const scopes = new Map<string, object>();
  const post = (message: FromWorker, transfer?: readonly ArrayBuffer[]): void => port.postMessage(message, transfer);

  /** Returns the identity of a collection's pool. The pools that were used last are kept. */
  function scopeOf(path: string): object {
    const scope = scopes.get(path) ?? {};
    scopes.delete(path);
    scopes.set(path, scope);
    if (scopes.size > mostScopes) scopes.delete(scopes.keys().next().value!);
    return scope;
  }

  async function writerFor(
    response: TransportResponse,
    path: string,
    watch: boolean,
  ): Promise<DeltaWriter | undefined> {
    const codec = response.status === 200 ? await codecFor(response.headers.get("content-type")) : undefined;
    if (codec === undefined) return undefined;
    return new DeltaWriter(codec, watch, scopeOf(path.split("?", 1)[0]!), bases);
  }

  async function run(pool: PooledTransport, number: number, request: WorkerRequest): Promise<void> {
    const controller = new AbortController();
    const stream: Stream = { controller, credit: windowBytes, resume: undefined };
    streams.set(number, stream);
    try {
      const response = await pool.send({ ...request, signal: controller.signal });
      const watch = isWatch(request.path);
      const writer = await writerFor(response, request.path, watch);
      post({ type: "head", stream: number, status: response.status, headers: headersToRecord(response.headers) });
      for await (const { chunks, length } of batches(response.body, watch)) {
        while (stream.credit <= 0 && !controller.signal.aborted)
          await new Promise<void>((resolve) => (stream.resume = resolve));
        if (controller.signal.aborted) return;
        stream.credit -= length;
        const buffer = writer === undefined ? joinChunks(chunks, length).buffer : writer.write(chunks, length);
        post({ type: "chunk", stream: number, buffer, length }, [buffer]);
      }
      post({ type: "end", stream: number });
    } catch (error) {
      if (!controller.signal.aborted) post({ type: "fail", stream: number, error: describe(error) });
      // Ends a response that wasn't read to its end.
      controller.abort();
    } finally {
      streams.delete(number);
    }
  }

  async function end(number: number, how: "drain" | "close"): Promise<void> {
    await pools.get(number)?.[how]();
    pools.delete(number);
    post({ type: "closed", pool: number });
  }

  port.on("message", (message: ToWorker) => {
    switch (message.type) {
      case "open":
        pools.set(message.pool, openPool(message.options));
        break;
      case "send":
        void run(pools.get(message.pool)!, message.stream, message.request);
        break;
      case "credit": {
        const stream = streams.get(message.stream);
        if (stream === undefined) break;
        stream.credit += message.bytes;
        stream.resume?.();
        break;
      }
      case "abort": {
        const stream = streams.get(message.stream);
        stream?.controller.abort();
        stream?.resume?.();
        break;
      }
      case "unused":
        bases.drop(message.bases);
        post({ type: "dropped", bases: message.bases });
        break;
      case "drain":
      case "close":
        void end(message.pool, message.type);
    }
  });
}

function openPool({ proxy, ...options }: WorkerPoolOptions): PooledTransport {
  return createPooledTransport({ ...options, ...(proxy !== undefined && { proxy: new URL(proxy) }) });
}

function isWatch(path: string): boolean {
  return /[?&]watch=(?:1|true)\b/.test(path);
}

async function codecFor(contentType: string | null): Promise<Codec | undefined> {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/vnd.kubernetes.protobuf")
    return (await import("../../codec/protobuf/protobuf.js")).protobuf();
  if (type === "application/json") return (await import("../../codec/json/shared-json.js")).sharedJson();
  return undefined;
}

/** Joins the chunks of a body that have arrived. Those of a watch are at least some milliseconds apart, unless they're long. */
async function* batches(
  body: AsyncIterable<Uint8Array>,
  watch: boolean,
): AsyncGenerator<{ readonly chunks: readonly Uint8Array[]; readonly length: number }> {
  const iterator = body[Symbol.asyncIterator]() as BodyIterator;
  let sentAt = -Infinity;
  try {
    for (;;) {
      const result = await iterator.next();
      if (result.done === true) return;
      const chunks = [result.value];
      let length = result.value.length;
      const takeRest = (): void => {
        while (length < fullBytes) {
          const chunk = iterator.take?.();
          if (chunk === undefined) return;
          chunks.push(chunk);
          length += chunk.length;
        }
      };
      takeRest();
      const rest = sentAt + pauseMs - performance.now();
      if (watch && length < fullBytes && rest > 0) {
        await sleep(rest, systemClock);
        takeRest();
      }
      sentAt = performance.now();
      yield { chunks, length };
    }
  } finally {
    await iterator.return?.();
  }
}

function describe(error: unknown): WorkerFailure {
  if (!(error instanceof Error)) return { name: "TransportError", message: "the request failed in the worker" };
  const { cause, message } = error;
  return {
    name: error instanceof ConfigError || error instanceof ClosedError ? error.name : "TransportError",
    message,
    ...(error instanceof TransportError && { code: error.code }),
    ...(error instanceof ConfigError && { permanent: error.permanent }),
    ...(cause instanceof Error && { cause: cause.message }),
  };
}
