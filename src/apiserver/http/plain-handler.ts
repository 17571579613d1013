import { headerText } from "../../internal/header-text.js";
import type { ByteReader, PlainHandler, PlainRequest, PlainResponse } from "../../internal/plain-handler.js";
import type { BodyStream, ServerRequest, ServerResponse } from "./http.js";

/** Creates the plain form of a server's fetch-style handler. */
export function createPlainHandler(serve: (request: ServerRequest) => Promise<ServerResponse>): PlainHandler {
  return async (request) => toPlainResponse(await serve(fromPlain(request)));
}

/** Converts a request. Its headers appear as `fromRequest` would show them. */
function fromPlain(request: PlainRequest): ServerRequest {
  const { method, path, headers, multiHeaders, body } = request;
  const mark = path.indexOf("?");
  const lines = new Map<string, string>();
  const add = (name: string, value: string): void => {
    const key = name.toLowerCase();
    const before = lines.get(key);
    lines.set(key, before === undefined ? value : `${before}, ${value}`);
  };
  for (const name in headers) add(name, headers[name]!);
  for (const name in multiHeaders) for (const value of multiHeaders[name]!) add(name, value);
  const header = (name: string): string | undefined => {
    const value = lines.get(name);
    return value === undefined ? undefined : headerText(value);
  };
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    query: mark < 0 ? "" : path.slice(mark + 1),
    header,
    headerValues: (name) => (header(name) ?? "").split(", ").filter((value) => value !== ""),
    headerNames: () => [...lines.keys()].sort(),
    readBody: (limit) =>
      Promise.resolve(body === undefined ? new Uint8Array() : body.length > limit ? undefined : new Uint8Array(body)),
    get signal() {
      return request.signal;
    },
  };
}

/** Converts a response. Throws a `TypeError` if it is `dropped`. */
function toPlainResponse({ status, headers, body, dropped }: ServerResponse): PlainResponse {
  if (dropped === true) throw new TypeError("connection reset");
  const bodyless = status === 204 || status === 304 || body === undefined;
  return {
    status,
    headers: {
      get(name) {
        const key = name.toLowerCase();
        const values = headers.filter(([each]) => each.toLowerCase() === key).map(([, value]) => value);
        return values.length === 0 ? null : values.join(", ");
      },
    },
    // A copy, because the store holds the same bytes.
    body: bodyless ? undefined : body instanceof Uint8Array ? new Uint8Array(body) : readerOf(body),
  };
}

function readerOf(body: BodyStream): ByteReader {
  let ended = false;
  return {
    async read() {
      if (ended) return { done: true, value: undefined };
      try {
        const result = await body.next();
        if (result.done !== true) return { done: false, value: result.value };
      } catch (error) {
        ended = true;
        throw error;
      }
      ended = true;
      return { done: true, value: undefined };
    },
    async cancel() {
      if (ended) return;
      ended = true;
      await body.return();
    },
  };
}
