import { readLimited } from "../internal/streams/read-limited.js";
import type { ResponseHeaders, TransportResponse } from "../transport/transport.js";

/** Request headers that reach a cluster. The page's credentials and those for impersonation aren't among them. */
export const forwardedHeaders: readonly string[] = [
  "accept",
  "content-type",
  "if-none-match",
  "if-modified-since",
  "traceparent",
  "tracestate",
];
/** Response headers that reach a page. */
const returned = [
  "content-type",
  "cache-control",
  "etag",
  "last-modified",
  "retry-after",
  "warning",
  "audit-id",
  "x-kubernetes-pf-flowschema-uid",
  "x-kubernetes-pf-prioritylevel-uid",
];
/** Headers of every response: what a cluster sends is never run or stored as a page of this origin. */
const hardening = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
};

/** Reasons of a Status by code, as a kube-apiserver sends them. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  413: "RequestEntityTooLarge",
  429: "TooManyRequests",
  500: "InternalError",
  502: "ServiceUnavailable",
  504: "Timeout",
};

/** Returns the headers that a request keeps on its way to a cluster. */
export function requestHeaders(request: Request): Record<string, string> {
  const agent = request.headers.get("user-agent");
  const headers: Record<string, string> = { "user-agent": `kubestream-proxy${agent === null ? "" : ` ${agent}`}` };
  for (const name of forwardedHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** Creates a response with a Status, which Kubernetes clients understand. */
export function statusResponse(code: number, message: string, headers: Readonly<Record<string, string>>): Response {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message };
  return Response.json(
    { ...status, reason: reasons[code], code },
    {
      status: code,
      headers: { ...headers, ...hardening, "cache-control": "no-store", ...(code === 429 && { "retry-after": "1" }) },
    },
  );
}

/** Creates the response that lists clusters. */
export function listResponse(names: readonly string[], headers: Readonly<Record<string, string>>): Response {
  return Response.json(
    { clusters: names.map((name) => ({ name })) },
    { headers: { ...headers, ...hardening, "cache-control": "no-store" } },
  );
}

/** Reads a request's body; `undefined` if it's too long. */
export function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  return announced > limit ? Promise.resolve(undefined) : readLimited(request, limit);
}

/** Creates the response to a page. `onEnd` is called when the body ends for any reason, at once if it is `empty`. */
export function forwardResponse(
  response: TransportResponse,
  { cors, empty, onEnd }: { readonly cors: Readonly<Record<string, string>>; empty: boolean; onEnd: () => void },
): Response {
  const kept = new Headers({ ...cors, ...pick(response.headers), ...hardening });
  if (!kept.has("cache-control")) kept.set("cache-control", "no-store");
  const chunks = response.body[Symbol.asyncIterator]();
  if (empty || [204, 205, 304].includes(response.status)) {
    // A body that breaks while it is closed has nothing left to report.
    void Promise.resolve(chunks.return?.()).then(onEnd, onEnd);
    return new Response(null, { status: response.status, headers: kept });
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const result = await chunks.next();
          if (result.done === true) {
            controller.close();
            onEnd();
          } else controller.enqueue(result.value);
        } catch (error) {
          onEnd();
          controller.error(error);
        }
      },
      async cancel() {
        onEnd();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status: response.status, headers: kept });
}

function pick(headers: ResponseHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of returned) {
    const value = headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return kept;
}
