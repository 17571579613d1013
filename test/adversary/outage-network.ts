import type { ApiServer } from "../../src/apiserver/server.js";
import { TransportError } from "../../src/errors/errors.js";
import type { Transport, TransportRequest, TransportResponse } from "../../src/transport/transport.js";
import { sendTo } from "../simulation/serve-transport.js";
import type { VirtualClock } from "../support/virtual-clock.js";

/** A misbehaviour: answers a request while it lasts. `up` sends the request to the server. */
export type Misbehaviour = (
  request: TransportRequest,
  up: () => Promise<TransportResponse>,
  clock: VirtualClock,
) => Promise<TransportResponse>;

/** Network between an informer and a server. */
export interface OutageNetwork extends Transport {
  /** Begins an outage. Open connections break, or stay open and fall silent. */
  begin(misbehaviour: Misbehaviour, connections: "cut" | "silent" | "kept"): void;
  /** Ends it. Silent connections stay silent. */
  end(): void;
  /** Number of responses that are being read. */
  readonly open: number;
  /** Number of requests so far. */
  readonly requests: number;
}

/** Creates a network to a server in the same process. */
export function createOutageNetwork(server: ApiServer, clock: VirtualClock): OutageNetwork {
  let misbehaviour: Misbehaviour | undefined;
  let requests = 0;
  const bodies = new Set<Line>();
  const pass = async (request: TransportRequest): Promise<TransportResponse> => {
    const response = await sendTo(server, request);
    return { ...response, body: guard(response.body, request.signal, bodies) };
  };
  return {
    send(request) {
      requests++;
      return misbehaviour === undefined ? pass(request) : misbehaviour(request, () => pass(request), clock);
    },
    begin(next, connections) {
      misbehaviour = next;
      for (const body of [...bodies]) {
        if (connections === "cut") body.cut();
        if (connections === "silent") body.silent = true;
      }
    },
    end() {
      misbehaviour = undefined;
    },
    get open() {
      return bodies.size;
    },
    get requests() {
      return requests;
    },
    close: () => Promise.resolve(),
  };
}

/** An open response. */
interface Line {
  silent: boolean;
  cut(): void;
}

function guard(body: AsyncIterable<Uint8Array>, signal: AbortSignal, open: Set<Line>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator]();
      let fail: (reason: unknown) => void = () => undefined;
      const broken = new Promise<never>((_resolve, reject) => (fail = reject));
      broken.catch(() => undefined);
      const onAbort = (): void => {
        fail(signal.reason);
        end();
      };
      const line: Line = { silent: false, cut: () => fail(new TransportError("the connection broke")) };
      const end = (): void => {
        signal.removeEventListener("abort", onAbort);
        open.delete(line);
        void source.return?.();
      };
      open.add(line);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
      return {
        async next() {
          try {
            const result = await Promise.race([source.next(), broken]);
            if (line.silent) await broken;
            if (result.done === true) end();
            return result;
          } catch (error) {
            end();
            throw error;
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

/** Creates a response from text, in pieces; `"hang"` leaves it open. An `Error` breaks the connection. */
export function reply(
  { signal }: TransportRequest,
  status: number,
  pieces: readonly (string | Error)[],
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  const all = new Map(Object.entries({ "content-type": "application/json", ...headers }));
  return {
    status,
    headers: { get: (name) => all.get(name.toLowerCase()) ?? null },
    body: {
      async *[Symbol.asyncIterator]() {
        for (const piece of pieces) {
          if (piece instanceof Error) throw piece;
          if (piece === "hang") await untilAborted(signal);
          yield new TextEncoder().encode(piece);
        }
      },
    },
  };
}

/** Rejects when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
