import { expect, it } from "vitest";
import { createMetricsApi } from "../../../../src/cluster/metrics/metrics-api.js";
import { SimulatedNode } from "../../../../src/cluster/nodes/simulated-node.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { plainHandlerOf } from "../../../../src/internal/plain-handler.js";

const handler = createMetricsApi({
  nodes: new Map([["node-1", new SimulatedNode("node-1", 0)]]),
  pods: () => ({ store: { list: () => [] } }) as never,
  nodeLabels: () => ({ zone: "a" }),
  clock: { ...systemClock, now: () => 0 },
});

it.each([
  ["GET", "/apis/metrics.k8s.io", 200, { kind: "APIGroup" }],
  ["GET", "/apis/metrics.k8s.io/v1beta1", 200, { kind: "APIResourceList" }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/nodes", 200, { kind: "NodeMetricsList", items: [{ usage: { cpu: "0" } }] }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/nodes?labelSelector=zone%3Db", 200, { kind: "NodeMetricsList", items: [] }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/nodes?labelSelector=%3D", 400, { reason: "BadRequest" }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/nodes/node-1", 200, { kind: "NodeMetrics", metadata: { name: "node-1" } }],
  ["GET", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/a", 404, { reason: "NotFound" }],
  ["DELETE", "/apis/metrics.k8s.io/v1beta1/nodes/node-1", 405, { reason: "MethodNotAllowed" }],
  ["GET", "/openapi/v3", 404, { reason: "NotFound" }],
])("metrics API answers %s %s with %i in both forms", async (method, path, code, object) => {
  const response = await handler(new Request(`https://metrics-server.kube-system.svc${path}`, { method }));
  const plain = await plainHandlerOf(handler)!({ method, path, headers: {}, signal: new AbortController().signal });
  expect(response.status).toBe(code);
  expect(plain.status).toBe(code);
  expect(plain.headers.get("Content-Type")).toBe(response.headers.get("content-type"));
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject(object);
  expect(new TextDecoder().decode(plain.body as Uint8Array)).toBe(text);
});
