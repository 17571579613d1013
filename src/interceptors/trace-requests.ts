import { quietly } from "../internal/quietly.js";
import { failSpan, formatTraceparent, type Span, spanKind, type Tracer } from "../internal/telemetry/tracing.js";
import type { Interceptor, TransportRequest } from "../transport/transport.js";
import { requestInfo } from "./request-info.js";

/**
 * Returns an interceptor that starts a span for every attempt and sends its IDs in the headers `traceparent` and
 * `tracestate`, so that the spans of the API server become its children. The span is a child of the active one, such as
 * that of a reconcile, and ends when the response headers arrive. Exceptions of the tracer are ignored.
 *
 * The span is named after verb and resource, such as `list pods`, and has OpenTelemetry's attributes for HTTP clients.
 * Use `traceContext` for traces without a tracer.
 *
 * @example
 * ```ts
 * import { traceRequests, type Tracer } from "kubestream/interceptors";
 * import { connect } from "kubestream/node";
 *
 * declare const tracer: Tracer; // trace.getTracer("my-operator") of @opentelemetry/api
 * const client = await connect({ interceptors: [traceRequests(tracer)] });
 * await client.close();
 * ```
 */
export function traceRequests(tracer: Tracer): Interceptor {
  return (next) => async (request) => {
    const span = startSpan(tracer, request);
    if (span === undefined) return next(request);
    try {
      const response = await next({ ...request, headers: { ...request.headers, ...span.headers } });
      end(span.span, response.status);
      return response;
    } catch (error) {
      fail(span.span, error);
      throw error;
    }
  };
}

interface RequestSpan {
  readonly span: Span;
  readonly headers: Readonly<Record<string, string>>;
}

function startSpan(tracer: Tracer, { method, path }: TransportRequest): RequestSpan | undefined {
  const { verb, resource, subresource, namespace } = requestInfo(method, path);
  const attributes = {
    "http.request.method": method,
    "url.path": path.split("?")[0]!,
    ...(namespace !== undefined && { "k8s.namespace.name": namespace }),
  };
  const name = [verb, [resource, subresource].filter(Boolean).join("/")].filter(Boolean).join(" ");
  try {
    const span = tracer.startSpan(name, { kind: spanKind.client, attributes });
    const context = span.spanContext();
    const tracestate = context.traceState?.serialize() ?? "";
    return { span, headers: { traceparent: formatTraceparent(context), ...(tracestate !== "" && { tracestate }) } };
  } catch {
    return undefined;
  }
}

const end = quietly((span: Span, status: number) => {
  span.setAttribute("http.response.status_code", status);
  if (status >= 400) {
    span.setAttribute("error.type", String(status));
    span.setStatus({ code: 2 });
  }
  span.end();
});

const fail = quietly((span: Span, error: unknown) => {
  span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
  failSpan(span, error);
  span.end();
});
