import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import pino from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { logToPino } from "../../../../src/controller/reconcile/structured-log.js";
import { traceRequests } from "../../../../src/interceptors/trace-requests.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { openWorld, until } from "../world.js";

afterEach(() => {
  trace.disable();
  context.disable();
});

describe("a controller with the OpenTelemetry SDK", () => {
  it("exports a span per reconcile, linked to its cause, and parent of the requests that it sends", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
    const tracer = trace.getTracer("operator");
    const headers: (string | undefined)[] = [];
    await using world = openWorld();
    await using client = createClient({
      transport: handlerTransport(world.server.handle),
      interceptors: [
        traceRequests(tracer),
        (next) => (request) => {
          if (request.method === "PATCH") headers.push(request.headers["traceparent"]);
          return next(request);
        },
      ],
      retry: false,
    });
    const maps = client.resource(ConfigMap).namespace("default");
    let attempts = 0;
    const controller = createController({
      name: "painter",
      for: maps,
      tracer,
      log: () => undefined,
      async reconcile({ name }) {
        if (++attempts > 1) throw new Error("no more paint");
        // Time passes before the request: the context has to last.
        await new Promise((resolve) => setImmediate(resolve));
        await maps.patch(name, { type: "merge", patch: { data: { colour: "blue" } } });
      },
    });
    controller.start();
    await until("it runs", () => controller.status.type === "running");
    await world.client
      .resource(ConfigMap)
      .namespace("default")
      .create({ metadata: { name: "a" } });
    await until("the patch was reconciled", () => controller.metrics.reconcileTime.count >= 2);
    await controller.stop();

    const spans = exporter.getFinishedSpans();
    const named = (name: string): ReadableSpan[] => spans.filter((span) => span.name === name);
    const [added] = named('added configmaps in "default"');
    const [first, second] = named("reconcile painter");
    const [patch] = named("patch configmaps");
    const [updated] = named('updated configmaps in "default"');
    expect(first!.links.map(({ context: cause }) => cause.spanId)).toEqual([added!.spanContext().spanId]);
    expect(first!.parentSpanContext).toBeUndefined();
    expect(patch!.parentSpanContext?.spanId).toBe(first!.spanContext().spanId);
    const { traceId, spanId } = patch!.spanContext();
    expect(headers).toEqual([`00-${traceId}-${spanId}-01`]);
    expect(second!.links.map(({ context: cause }) => cause.spanId)).toEqual([updated!.spanContext().spanId]);
    expect(second!.status).toEqual({ code: SpanStatusCode.ERROR, message: "no more paint" });
    await provider.shutdown();
  });
});

describe("logToPino with pino", () => {
  it("writes levels, messages, fields and errors", () => {
    const lines: string[] = [];
    const log = logToPino(pino({ level: "info", base: null, timestamp: false }, { write: (line) => lines.push(line) }));
    log({ level: "debug", message: "too fine" });
    log({ level: "info", message: "checked", controller: "painter", fields: { colour: "blue" } });
    log({ level: "error", message: "failed", controller: "painter", error: new TypeError("no more paint") });
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      { level: 30, msg: "checked", controller: "painter", colour: "blue" },
      {
        level: 50,
        msg: "failed",
        controller: "painter",
        err: { type: "TypeError", message: "no more paint", stack: expect.stringContaining("no more paint") as string },
      },
    ]);
  });
});
