import { TransportError } from "../../../src/errors/errors.js";
import type { Transport, TransportRequest } from "../../../src/transport/transport.js";

/** One scripted response. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, chunks are sent unchanged, and an Error breaks the body. */
  readonly body?: object | string | readonly (Uint8Array | string | Error | "hang")[];
  /** Error with which the request fails before a response. */
  readonly error?: Error;
  /** True if no response ever comes. */
  readonly hang?: boolean;
}

export interface ScriptedTransport extends Transport {
  readonly requests: TransportRequest[];
  /** Number of bodies that were neither read to the end nor aborted. */
  readonly open: () => number;
  readonly closed: () => boolean;
}

/** Transport that returns one scripted response per request and records the requests. */
export function scripted(...answers: (Answer | ((request: TransportRequest) => Answer))[]): ScriptedTransport {
  const requests: TransportRequest[] = [];
  let open = 0;
  let closed = false;
  return {
    requests,
    open: () => open,
    closed: () => closed,
    async send(request) {
      if (request.signal.aborted) throw request.signal.reason;
      const next = answers[requests.length];
      requests.push(request);
      if (next === undefined)
        throw new TransportError(
          `no answer scripted for request ${requests.length}: ${request.method} ${request.path}`,
        );
      const answer = typeof next === "function" ? next(request) : next;
      if (answer.error) throw answer.error;
      if (answer.hang === true)
        return new Promise((_, reject) =>
          request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), { once: true }),
        );
      const headers = new Headers({ "content-type": "application/json", ...answer.headers });
      const { body = {} } = answer;
      const chunks = Array.isArray(body)
        ? (body as (Uint8Array | string | Error)[])
        : [typeof body === "string" ? body : JSON.stringify(body)];
      open++;
      let at = 0;
      let over = false;
      const end = (): void => {
        if (!over) open--;
        over = true;
        request.signal.removeEventListener("abort", end);
      };
      request.signal.addEventListener("abort", end, { once: true });
      return {
        status: answer.status ?? 200,
        headers,
        body: {
          [Symbol.asyncIterator]: () => ({
            async next() {
              if (request.signal.aborted) throw request.signal.reason;
              const chunk = chunks[at++];
              if (chunk === undefined) {
                end();
                return { done: true as const, value: undefined };
              }
              if (chunk === "hang")
                return new Promise<never>((_, reject) =>
                  request.signal.addEventListener("abort", () => reject(request.signal.reason as Error), {
                    once: true,
                  }),
                );
              if (chunk instanceof Error) {
                end();
                throw chunk;
              }
              return {
                done: false as const,
                value: typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk,
              };
            },
            async return() {
              end();
              return { done: true as const, value: undefined };
            },
          }),
        },
      };
    },
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}

/** Parses the JSON body of a request. */
export function bodyOf(request: TransportRequest | undefined): unknown {
  return request?.body === undefined ? undefined : JSON.parse(new TextDecoder().decode(request.body));
}
