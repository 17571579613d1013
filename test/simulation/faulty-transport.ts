import { TransportError } from "../../src/errors/errors.js";
import type { Clock } from "../../src/internal/clock.js";
import { sleep } from "../../src/internal/clock.js";
import type { Transport, TransportRequest, TransportResponse } from "../../src/transport/transport.js";
import type { Random } from "./random.js";
import { createReframer, type FrameFault, jsonFrames, protobufFrames } from "./reframer.js";

/** Connection between client and server that can inject any fault. */
export interface FaultyTransport extends Transport {
  /** Number of open connections. */
  readonly open: number;
  /** Requests with their faults and results, in virtual time. */
  readonly log: readonly RequestLog[];
  /** Probability of a fault per request; 0 for a reliable network. */
  faultiness: number;
  /** Starts or ends an outage, in which every request fails in the same way. */
  setOutage(on: boolean): void;
}

/** Request as it was sent. */
export interface RequestLog {
  /** Time in virtual milliseconds. */
  readonly at: number;
  /** Path and query. */
  readonly path: string;
  /** Fault that was injected. */
  fault: string;
  /** Status of the response. */
  status: number;
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const failures: readonly [string, number, string, string, Record<string, string>?][] = [
  ["429", 429, "TooManyRequests", "slow down"],
  ["429 after 1", 429, "TooManyRequests", "slow down", { "retry-after": "1" }],
  ["429 after a date", 429, "TooManyRequests", "slow down", { "retry-after": "DATE" }],
  ["500", 500, "InternalError", "an error on the server"],
  ["503", 503, "ServiceUnavailable", "not ready"],
  ["504", 504, "Timeout", "it took too long"],
  ["410", 410, "Expired", "too old resource version"],
  ["410 gone", 410, "Gone", "gone"],
  ["401", 401, "Unauthorized", "who are you"],
  ["403", 403, "Forbidden", "you may not"],
  ["422", 422, "Invalid", "sendInitialEvents is forbidden"],
];
const openings = ["refused", "reset", "hang", "html"] as const;
const endings = ["cut", "clean", "half-open", "split", "split", "slow"] as const;
const watchFaults = [
  "error 410",
  "error 410 gone",
  "error 500",
  "error 429",
  "error 504",
  "garbage",
  "garbage",
  "garbage",
  "no bookmarks",
  "no end bookmark",
  "early bookmark",
] as const;

/** Creates a transport that forwards requests to another and injects faults according to the seed. */
export function createFaultyTransport(upstream: Transport["send"], clock: Clock, random: Random): FaultyTransport {
  const log: RequestLog[] = [];
  let open = 0;
  let outage: ReturnType<typeof pickFailure> | undefined;
  const pickFailure = (): (typeof failures)[number] | (typeof openings)[number] =>
    random.chance(0.5) ? random.pick(failures) : random.pick(openings);

  const answerOf = (
    status: number,
    reason: string,
    message: string,
    headers: Record<string, string> = {},
  ): TransportResponse => {
    const sent = new Map(Object.entries({ "content-type": "application/json", ...headers }));
    if (sent.get("retry-after") === "DATE") sent.set("retry-after", new Date(clock.now() + 2_000).toUTCString());
    const body = text(
      JSON.stringify({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        reason,
        message,
        code: status,
      }),
    );
    return { status, headers: { get: (name) => sent.get(name.toLowerCase()) ?? null }, body: once(body) };
  };

  const send = async (request: TransportRequest): Promise<TransportResponse> => {
    const entry: RequestLog = { at: clock.monotonic(), path: request.path, fault: "", status: 0 };
    log.push(entry);
    const faulty = random.chance(transport.faultiness);
    await sleep(faulty && random.chance(0.1) ? random.int(8_000) : random.int(20), clock, request.signal);
    const { signal } = request;
    if (outage !== undefined || (faulty && random.chance(0.5))) {
      const fault = outage ?? pickFailure();
      entry.fault = typeof fault === "string" ? fault : fault[0];
      switch (fault) {
        case "refused":
          throw new TransportError("connection refused", { code: "ECONNREFUSED" });
        case "reset":
          throw new TransportError("connection reset", { code: "ECONNRESET" });
        case "hang":
          open++;
          await untilAborted(signal).finally(() => open--);
          break;
        case "html":
          return {
            status: 502,
            headers: { get: () => "text/html" },
            body: once(text("<html><body>\n502 Bad Gateway\n</body></html>")),
          };
        default:
          return answerOf(fault[1], fault[2], fault[3], fault[4]);
      }
    }
    const response = await upstream(request);
    entry.status = response.status;
    const watch = /[?&]watch=(1|true)/.test(request.path);
    const kind = faulty ? (watch && random.chance(0.6) ? random.pick(watchFaults) : random.pick(endings)) : "";
    entry.fault ||= kind;
    const format = response.headers.get("content-type")?.includes("protobuf") === true ? protobufFrames : jsonFrames;
    const fault: Fault = { kind, after: watch ? random.int(6) : 0, random, clock, format };
    open++;
    return { ...response, body: faultyBody(response.body[Symbol.asyncIterator](), signal, watch, fault, () => open--) };
  };

  const transport: FaultyTransport = {
    faultiness: 0,
    log,
    setOutage(on) {
      outage = on ? pickFailure() : undefined;
    },
    get open() {
      return open;
    },
    send,
    close: () => Promise.resolve(),
  };
  return transport;
}

interface Fault extends FrameFault {
  readonly clock: Clock;
}

function once(body: Uint8Array): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield body;
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/**
 * Returns the body as the client receives it. Complete frames of a watch pass through `reframe`; then bytes are split,
 * cut off or delayed.
 */
function faultyBody(
  body: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
  watch: boolean,
  fault: Fault,
  onEnd: () => void,
): AsyncIterable<Uint8Array> {
  const { kind, random, clock } = fault;
  let ended = false;
  let onAbort: (() => void) | undefined;
  const end = (): void => {
    if (ended) return;
    ended = true;
    signal.removeEventListener("abort", onAbort!);
    void body.return?.();
    onEnd();
  };
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(signal.reason);
      end();
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  aborted.catch(() => undefined);
  return {
    [Symbol.asyncIterator]() {
      const waiting: Uint8Array[] = [];
      const reframe = createReframer(fault);
      let ending: "cut" | "clean" | "half-open" | undefined;
      const split = (bytes: Uint8Array): void => {
        if (kind !== "split" && kind !== "cut") {
          waiting.push(bytes);
          return;
        }
        for (let at = 0; at < bytes.length; ) {
          const length = 1 + random.int(kind === "split" ? 40 : 400);
          waiting.push(bytes.subarray(at, at + length));
          at += length;
        }
      };
      const take = (bytes: Uint8Array): void => {
        if (!watch) {
          // Later chunks only arrive if nothing was cut off.
          const cut = kind === "cut" || kind === "clean" || kind === "half-open";
          split(cut ? bytes.subarray(0, random.int(bytes.length)) : bytes);
          if (cut) ending = kind;
          return;
        }
        const { out, over } = reframe(bytes);
        for (const piece of out) split(piece);
        ending = over;
      };
      return {
        async next() {
          for (;;) {
            try {
              const chunk = waiting.shift();
              if (chunk !== undefined) {
                if (kind === "slow") await sleep(random.int(3_000), clock, signal);
                if (ended) return { done: true, value: undefined };
                return { done: false, value: chunk };
              }
              if (ending === "cut") throw new TransportError("the connection broke", { code: "ECONNRESET" });
              if (ending === "half-open") await aborted;
              if (ending === "clean") {
                end();
                return { done: true, value: undefined };
              }
              const result = await Promise.race([body.next(), aborted]);
              if (result.done === true) ending ??= "clean";
              else take(result.value);
            } catch (error) {
              end();
              throw signal.aborted ? signal.reason : error;
            }
          }
        },
        async return() {
          end();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
