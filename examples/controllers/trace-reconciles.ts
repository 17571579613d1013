// A span for each reconcile: linked to the change that caused it, and parent of the requests that it sends. With
// OpenTelemetry, pass `trace.getTracer("my-operator")` of @opentelemetry/api instead of the tracer below.
import { AsyncLocalStorage } from "node:async_hooks";
import { createController, type Span, type SpanContext, type SpanOptions, type Tracer } from "kubestream/controller";
import { traceRequests } from "kubestream/interceptors";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const active = new AsyncLocalStorage<SpanContext>();
const names = new Map<string, string>();
const hex = (digits: number): string => crypto.randomUUID().replaceAll("-", "").slice(0, digits);
const startSpan = (name: string, { root, links = [] }: SpanOptions = {}): Span => {
  const parent = root === true ? undefined : active.getStore();
  const context = { traceId: parent?.traceId ?? hex(32), spanId: hex(16), traceFlags: 1 };
  names.set(context.spanId, name);
  const causes = links.map(({ context: cause }) => names.get(cause.spanId));
  return {
    spanContext: () => context,
    setAttribute: () => undefined,
    setStatus: () => undefined,
    recordException: (error) => console.log(name, error),
    end: () => {
      if (parent !== undefined) console.log(name, "in", names.get(parent.spanId));
      if (causes.length > 0) console.log(name, "caused by", causes.join(", "));
    },
  };
};
const tracer: Tracer = {
  startSpan,
  startActiveSpan(name, options, work) {
    const span = startSpan(name, options);
    return active.run(span.spanContext(), () => work(span));
  },
};

const client = await connect({ interceptors: [traceRequests(tracer)] });
const configMaps = client.resource(ConfigMap).namespace("default");
const controller = createController({
  name: "painter",
  for: configMaps,
  informer: { labelSelector: "traced=yes" },
  tracer,
  async reconcile({ name }, { object, signal }) {
    if (object === undefined || object.data?.["colour"] !== undefined) return;
    await configMaps.patch(name, { type: "merge", patch: { data: { colour: "blue" } } }, { signal });
  },
});
let left = 2;
const done = new Promise<void>((resolve) => void controller.onReconcile(() => --left === 0 && resolve()));
await configMaps.create({ metadata: { name: "traced", labels: { traced: "yes" } } });
controller.start(); // The first reconcile has no cause: the object was there. Its patch causes the second.
await done;
await controller.stop();
await configMaps.delete("traced");
await client.close();
