import { expect, it } from "vitest";
import { traceRequests } from "../../../src/interceptors/trace-requests.js";
import { formatTraceparent } from "../../../src/internal/telemetry/tracing.js";
import { createFakeTracer } from "../../support/fake-tracer.js";

const request = { method: "GET", path: "/api/v1/namespaces/web/pods/a/log?follow=true&x=secret", headers: { a: "b" } };

it.each([
  [200, undefined, { "http.response.status_code": 200 }],
  [404, { code: 2 }, { "http.response.status_code": 404, "error.type": "404" }],
])("traceRequests ends the span of a response with %i, and sends its ids", async (status, spanStatus, attributes) => {
  const tracer = createFakeTracer();
  let headers: Record<string, string> = {};
  const send = traceRequests(tracer)((sent) => {
    headers = { ...sent.headers };
    return Promise.resolve({ status } as never);
  });
  await tracer.startActiveSpan("parent", {}, () => send(request as never));
  const [parent, span] = tracer.spans;
  expect(span).toMatchObject({ name: "get pods/log", ended: true, status: spanStatus, parent: parent!.context });
  expect(span!.options.kind).toBe(2);
  expect(span!.attributes).toEqual({
    "http.request.method": "GET",
    "url.path": "/api/v1/namespaces/web/pods/a/log",
    "k8s.namespace.name": "web",
    ...attributes,
  });
  expect(headers).toEqual({ a: "b", traceparent: formatTraceparent(span!.context) });
});

it("traceRequests records the error of a failed attempt and passes it on", async () => {
  const tracer = createFakeTracer();
  const error = new TypeError("reset");
  await expect(traceRequests(tracer)(() => Promise.reject(error))(request as never)).rejects.toBe(error);
  expect(tracer.spans).toMatchObject([
    { ended: true, exception: error, status: { code: 2, message: "reset" }, attributes: { "error.type": "TypeError" } },
  ]);
});

it("traceRequests sends the state of the trace", async () => {
  const tracer = createFakeTracer();
  const traceState = { serialize: () => "vendor=1" };
  let state: string | undefined;
  const stateful = {
    ...tracer,
    startSpan: (name: string) => ({
      ...tracer.startSpan(name),
      spanContext: () => ({ traceId: "a".repeat(32), spanId: "b".repeat(16), traceFlags: 0, traceState }) as never,
    }),
  };
  await traceRequests(stateful)((sent) => {
    state = sent.headers["tracestate"];
    expect(sent.headers["traceparent"]).toBe(`00-${"a".repeat(32)}-${"b".repeat(16)}-00`);
    return Promise.resolve({ status: 200 } as never);
  })(request as never);
  expect(state).toBe("vendor=1");
});

it("traceRequests sends the request without a span if the tracer throws", async () => {
  const broken = {
    startSpan: () => {
      throw new Error("tracer");
    },
    startActiveSpan: () => undefined,
  };
  const response = { status: 200 };
  await expect(traceRequests(broken)(() => Promise.resolve(response as never))(request as never)).resolves.toBe(
    response,
  );
});
