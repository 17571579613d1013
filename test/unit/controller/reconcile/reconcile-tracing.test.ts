import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Client, createClient } from "../../../../src/client/client.js";
import type { Controller, ControllerOptions } from "../../../../src/controller/reconcile/controller.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { traceRequests } from "../../../../src/interceptors/trace-requests.js";
import type { Tracer } from "../../../../src/internal/telemetry/tracing.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { createFakeTracer, type RecordedSpan } from "../../../support/fake-tracer.js";
import { openWorld, type TestWorld, until } from "../world.js";

let world: TestWorld;
let client: Client;
let tracer: ReturnType<typeof createFakeTracer>;
let sent: (string | undefined)[];
const controllers: Controller[] = [];

beforeEach(() => {
  world = openWorld();
  tracer = createFakeTracer();
  sent = [];
  client = createClient({
    transport: handlerTransport(world.server.handle),
    interceptors: [
      traceRequests(tracer),
      (next) => (request) => {
        sent.push(request.headers["traceparent"]);
        return next(request);
      },
    ],
    retry: false,
  });
});
afterEach(async () => {
  for (const controller of controllers.splice(0)) await controller.stop();
  await client.close();
  await world[Symbol.asyncDispose]();
});

const maps = () => client.resource(ConfigMap).namespace("default");
const create = (name: string) => world.client.resource(ConfigMap).namespace("default").create({ metadata: { name } });
const reconciles = (): RecordedSpan[] => tracer.spans.filter(({ name }) => name.startsWith("reconcile "));

async function begin(options: Partial<ControllerOptions<ConfigMap>>): Promise<Controller> {
  const controller = createController<ConfigMap>({
    name: "sync",
    for: maps(),
    reconcile: () => undefined,
    log: () => undefined,
    tracer,
    ...options,
  });
  controllers.push(controller);
  controller.start();
  await until("it runs", () => controller.status.type === "running");
  return controller;
}

const calls = (controller: Controller, count: number): Promise<void> =>
  until(`${count} reconciles`, () => controller.metrics.reconcileTime.count >= count);

describe("tracing of reconciles", () => {
  it("starts a span for each, linked to the span of the change that caused it", async () => {
    const controller = await begin({});
    await create("a");
    await calls(controller, 1);
    const [span] = reconciles();
    expect(span).toMatchObject({
      name: "reconcile sync",
      parent: undefined,
      ended: true,
      status: undefined,
      attributes: {
        "controller.name": "sync",
        "k8s.namespace.name": "default",
        "reconcile.name": "a",
        "reconcile.result": "success",
      },
    });
    const change = tracer.spans.find(({ name }) => name === 'added configmaps in "default"');
    expect(change).toMatchObject({ ended: true, attributes: { "change.type": "added", "change.key": "default/a" } });
    expect(span!.options.links).toEqual([{ context: change!.context, attributes: { "reconcile.cause": "added" } }]);
  });

  it("links a reconcile to all changes that it handles, and none of the initial list", async () => {
    await create("a");
    const controller = await begin({});
    await calls(controller, 1);
    expect(reconciles()[0]!.options.links).toEqual([]);
    controller.pause();
    const handle = world.client.resource(ConfigMap).namespace("default");
    for (const value of ["1", "2"]) await handle.patch("a", { type: "merge", patch: { data: { value } } });
    await until(
      "both changes have arrived",
      () => tracer.spans.filter(({ name }) => name.startsWith("updated")).length === 2,
    );
    controller.resume();
    await calls(controller, 2);
    expect(reconciles()[1]!.options.links?.map(({ attributes }) => attributes)).toEqual([
      { "reconcile.cause": "updated" },
      { "reconcile.cause": "updated" },
    ]);
  });

  it("makes requests of a reconcile children of its span, with the same ids in their headers", async () => {
    const traceparents: (string | undefined)[] = [];
    const controller = await begin({
      concurrency: 2,
      async reconcile({ name }, { traceparent }) {
        traceparents.push(traceparent);
        sent.length = 0;
        await maps().get(name);
      },
    });
    await create("a");
    await calls(controller, 1);
    const [span] = reconciles();
    const request = tracer.spans.find(({ name }) => name === "get configmaps")!;
    expect(request.parent).toEqual(span!.context);
    expect(request.context.traceId).toBe(span!.context.traceId);
    expect(request.attributes["http.response.status_code"]).toBe(200);
    expect(sent).toEqual([`00-${request.context.traceId}-${request.context.spanId}-01`]);
    expect(traceparents).toEqual([`00-${span!.context.traceId}-${span!.context.spanId}-01`]);
  });

  it("links a retry to the failed call before it, and marks that call's span as failed", async () => {
    let attempts = 0;
    const controller = await begin({
      reconcile() {
        if (++attempts === 1) throw new Error("not yet");
      },
    });
    await create("a");
    await calls(controller, 2);
    const [failed, retried] = reconciles();
    expect(failed).toMatchObject({
      status: { code: 2, message: "not yet" },
      exception: new Error("not yet"),
      attributes: { "reconcile.result": "error" },
    });
    expect(retried!.options.links).toEqual([{ context: failed!.context, attributes: { "reconcile.cause": "retry" } }]);
  });

  it("links a call after requeueAfterMs to the call that requested it", async () => {
    let attempts = 0;
    const controller = await begin({ reconcile: () => (++attempts === 1 ? { requeueAfterMs: 1 } : undefined) });
    await create("a");
    await calls(controller, 2);
    const [first, second] = reconciles();
    expect(second!.options.links).toEqual([{ context: first!.context, attributes: { "reconcile.cause": "requeue" } }]);
  });

  it("links a request of controller.enqueue to a child of the caller's span", async () => {
    const controller = await begin({});
    tracer.startActiveSpan("caller", {}, () => controller.enqueue({ namespace: "default", name: "b" }));
    await calls(controller, 1);
    const caller = tracer.spans.find(({ name }) => name === "caller")!;
    const enqueued = tracer.spans.find(({ name }) => name === "enqueue sync")!;
    expect(enqueued.parent).toEqual(caller.context);
    expect(reconciles()[0]!.options.links?.[0]?.context).toEqual(enqueued.context);
  });

  it.each<[string, Tracer]>([
    [
      "throws at the start",
      {
        startSpan: () => {
          throw new Error("tracer");
        },
        startActiveSpan: () => {
          throw new Error("tracer");
        },
      },
    ],
    [
      "has spans that throw",
      {
        startSpan: () => ({}) as never,
        startActiveSpan: (_name, _options, work) => work({} as never),
      },
    ],
    [
      "throws after the call began",
      {
        startSpan: () => ({}) as never,
        startActiveSpan: (_name, _options, work) => {
          work({} as never);
          throw new Error("tracer");
        },
      },
    ],
    ["never calls back", { startSpan: () => ({}) as never, startActiveSpan: () => undefined }],
  ])("reconciles once per change with a tracer that %s", async (_, broken) => {
    const seen: string[] = [];
    const controller = await begin({ tracer: broken, reconcile: ({ name }) => void seen.push(name) });
    await create("a");
    await calls(controller, 1);
    expect(seen).toEqual(["a"]);
    expect(controller.metrics.reconciles.success).toBe(1);
  });
});
