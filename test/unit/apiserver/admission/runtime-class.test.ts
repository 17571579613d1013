// The responses were recorded from kube-apiserver 1.36.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeEach(async () => {
  server = createApiServer({ controllers: false });
  await server.load(classes);
});
afterEach(() => server.close());

const tolerations = [
  { key: "k", operator: "Exists" },
  { key: "q", operator: "Equal", value: "v", effect: "NoSchedule" },
];
const kind = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", handler: "h" };
const classes = [
  { ...kind, metadata: { name: "plain" } },
  {
    ...kind,
    metadata: { name: "full" },
    overhead: { podFixed: { cpu: "100m", memory: "1Gi" } },
    scheduling: { nodeSelector: { a: "b", c: "d" }, tolerations },
  },
];
const nodes = ["not-ready", "unreachable"].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));
const overhead = { cpu: "100m", memory: "1Gi" };

interface Answer {
  spec?: Record<string, unknown>;
  code?: number;
  message?: string;
  details?: unknown;
}

async function create(spec: Record<string, unknown>): Promise<Answer> {
  const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
  return (await sendJson<Answer>(server, { method: "POST", path: "/api/v1/namespaces/default/pods", body })).body;
}

describe("RuntimeClass", () => {
  it("adds its overhead to what a quota counts, but not as a limit of its own", async () => {
    const hard = { "requests.cpu": "1", "limits.cpu": "1", "requests.memory": "2Gi", "limits.memory": "2Gi" };
    const used = { "requests.cpu": "0", "limits.cpu": "0", "requests.memory": "0", "limits.memory": "0" };
    await server.load([
      {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "all", namespace: "default" },
        spec: { hard },
        status: { hard, used },
      },
    ]);
    const containers = [{ name: "c", image: "i", resources: { limits: { cpu: "100m", memory: "1Mi" } } }];
    expect((await create({ runtimeClassName: "full", containers })).code).toBeUndefined();
    const quota = await server.handle(new Request("http://server/api/v1/namespaces/default/resourcequotas/all"));
    const { status } = (await quota.json()) as { status?: { used?: unknown } };
    expect(status?.used).toEqual({
      "requests.cpu": "200m",
      "limits.cpu": "200m",
      "requests.memory": "1025Mi",
      "limits.memory": "1025Mi",
    });
  });

  it.each([
    ["no RuntimeClass", {}, { tolerations: nodes }],
    ["a RuntimeClass without overhead and scheduling", { runtimeClassName: "plain" }, { tolerations: nodes }],
    [
      "overhead, node selector and tolerations of the RuntimeClass",
      { runtimeClassName: "full" },
      { overhead, nodeSelector: { a: "b", c: "d" }, tolerations: [...nodes, ...tolerations] },
    ],
    [
      "an equal overhead in different notation",
      { runtimeClassName: "full", overhead: { cpu: "0.1", memory: "1024Mi" } },
      { overhead, nodeSelector: { a: "b", c: "d" }, tolerations: [...nodes, ...tolerations] },
    ],
    [
      "tolerations shared by pod and RuntimeClass once",
      {
        runtimeClassName: "full",
        nodeSelector: { a: "b", z: "y" },
        tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }, tolerations[1]],
      },
      { overhead, nodeSelector: { a: "b", c: "d", z: "y" }, tolerations: [tolerations[1], ...nodes, tolerations[0]] },
    ],
  ])("applies %s", async (_title, spec, expected) => {
    const { spec: made } = await create(spec);
    const { overhead: cost, nodeSelector, tolerations: taken } = made!;
    expect({ overhead: cost, nodeSelector, tolerations: taken }).toEqual({
      overhead: undefined,
      nodeSelector: undefined,
      ...expected,
    });
  });

  it.each([
    ["a missing RuntimeClass", { runtimeClassName: "none" }, 'pod rejected: RuntimeClass "none" not found'],
    [
      "a node selector that contradicts the RuntimeClass",
      { runtimeClassName: "full", nodeSelector: { a: "x" } },
      "conflict: runtimeClass.scheduling.nodeSelector[a] = b; pod.spec.nodeSelector[a] = x",
    ],
    [
      "a different overhead",
      { runtimeClassName: "full", overhead: { cpu: "1" } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      "an overhead that the RuntimeClass doesn't define",
      { runtimeClassName: "plain", overhead: { cpu: "1" } },
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    ],
    [
      "an overhead without a RuntimeClass",
      { overhead: { cpu: "1" } },
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    ],
  ])("rejects %s", async (_title, spec, text) => {
    expect(await create(spec)).toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: ${text}`,
      details: { name: "p", kind: "pods" },
    });
  });
});
