import { beforeAll, describe, expect, it } from "vitest";
import { formatDuration } from "../../../../../src/apiserver/kinds/shared/print-age.js";
import { strategyFor } from "../../../../../src/apiserver/kinds/strategy-for.js";
import type { ApiObject } from "../../../../../src/apiserver/objects/api-object.js";
import { loadAllKinds } from "../../../../support/load-kinds.js";

beforeAll(loadAllKinds);

const NOW = Date.parse("2026-01-01T12:00:00Z");

function cells(group: string, resource: string, object: object): unknown[] {
  return (
    strategyFor(group, resource).printer?.cells(
      { metadata: { name: "a", creationTimestamp: "2026-01-01T11:59:00Z" }, ...object } as ApiObject,
      NOW,
    ) ?? []
  );
}

describe("formatDuration", () => {
  it.each([
    [-5, "<invalid>"],
    [-1, "0s"],
    [0, "0s"],
    [119, "119s"],
    [120, "2m"],
    [201, "3m21s"],
    [600, "10m"],
    [10_799, "179m"],
    [10_800, "3h"],
    [12_660, "3h31m"],
    [28_800, "8h"],
    [172_799, "47h"],
    [172_800, "2d"],
    [180_000, "2d2h"],
    [691_200, "8d"],
    [63_072_000, "2y"],
    [63_158_400, "2y1d"],
    [252_288_000, "8y"],
  ])("prints %i seconds as %s", (seconds, text) => {
    expect(formatDuration(seconds * 1000)).toBe(text);
  });
});

describe("pod table", () => {
  const running = { name: "c", ready: true, restartCount: 0, state: { running: {} } };
  const spec = { containers: [{ name: "c" }] };
  it.each([
    ["running", { status: { phase: "Running", containerStatuses: [running] } }, "1/1", "Running", "0"],
    [
      "crash looping",
      {
        status: {
          phase: "Running",
          containerStatuses: [
            {
              ...running,
              ready: false,
              restartCount: 4,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T11:55:00Z" } },
            },
          ],
        },
      },
      "0/1",
      "CrashLoopBackOff",
      "4 (5m ago)",
    ],
    [
      "completed",
      {
        status: {
          phase: "Succeeded",
          containerStatuses: [
            { ...running, ready: false, state: { terminated: { exitCode: 0, reason: "Completed" } } },
          ],
        },
      },
      "0/1",
      "Completed",
      "0",
    ],
    [
      "killed",
      {
        status: {
          phase: "Failed",
          containerStatuses: [{ ...running, ready: false, state: { terminated: { exitCode: 137, signal: 9 } } }],
        },
      },
      "0/1",
      "Signal:9",
      "0",
    ],
    [
      "initializing",
      {
        spec: { containers: [{ name: "c" }], initContainers: [{ name: "i" }, { name: "j" }] },
        status: {
          phase: "Pending",
          initContainerStatuses: [
            { name: "i", restartCount: 0, state: { terminated: { exitCode: 0 } } },
            { name: "j", restartCount: 2, state: { running: {} } },
          ],
        },
      },
      "0/1",
      "Init:1/2",
      "2",
    ],
    [
      "failing to start",
      {
        spec: { containers: [{ name: "c" }], initContainers: [{ name: "i" }] },
        status: {
          phase: "Pending",
          initContainerStatuses: [{ name: "i", restartCount: 0, state: { waiting: { reason: "ImagePullBackOff" } } }],
        },
      },
      "0/1",
      "Init:ImagePullBackOff",
      "0",
    ],
    [
      "with a sidecar",
      {
        spec: { containers: [{ name: "c" }], initContainers: [{ name: "s", restartPolicy: "Always" }] },
        status: {
          phase: "Running",
          initContainerStatuses: [{ name: "s", ready: true, started: true, restartCount: 1, state: { running: {} } }],
          containerStatuses: [running],
        },
      },
      "2/2",
      "Running",
      "1",
    ],
    [
      "gated",
      {
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
        },
      },
      "0/1",
      "SchedulingGated",
      "0",
    ],
    [
      "terminating",
      {
        metadata: { name: "a", creationTimestamp: "2026-01-01T11:59:00Z", deletionTimestamp: "2026-01-01T12:00:00Z" },
        status: { phase: "Running", containerStatuses: [running] },
      },
      "1/1",
      "Terminating",
      "0",
    ],
    [
      "lost",
      {
        metadata: { name: "a", deletionTimestamp: "2026-01-01T12:00:00Z" },
        status: { phase: "Running", reason: "NodeLost" },
      },
      "0/1",
      "Unknown",
      "0",
    ],
    ["evicted", { status: { phase: "Failed", reason: "Evicted" } }, "0/1", "Evicted", "0"],
  ])("shows a pod that is %s", (_, pod, ready, status, restarts) => {
    expect(cells("", "pods", { spec, ...pod }).slice(0, 4)).toEqual(["a", ready, status, restarts]);
  });

  it("sets row conditions for finished pods", () => {
    const conditions = strategyFor("", "pods").printer?.conditions;
    expect(conditions?.({ status: { phase: "Succeeded" } })?.[0]?.type).toBe("Completed");
    expect(conditions?.({ status: { phase: "Running" } })).toBeUndefined();
  });
});

it.each([
  [
    "",
    "nodes",
    {
      metadata: {
        name: "a",
        labels: { "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/infra": "" },
        creationTimestamp: "2026-01-01T11:59:00Z",
      },
      spec: { unschedulable: true },
      status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kubeletVersion: "v1.36.3" } },
    },
    ["a", "Ready,SchedulingDisabled", "infra,worker", "60s", "v1.36.3"],
  ],
  [
    "",
    "services",
    {
      spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"], ports: [{ port: 80, nodePort: 3, protocol: "TCP" }] },
      status: { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { hostname: "x" }] } },
    },
    ["a", "LoadBalancer", "10.0.0.1", "2.2.2.2,x", "80:3/TCP"],
  ],
  [
    "networking.k8s.io",
    "ingresses",
    { spec: { rules: [{ host: "a" }, {}, { host: "b" }, { host: "c" }, { host: "d" }] } },
    ["a", "<none>", "a,b,c + 2 more...", "", "80"],
  ],
  [
    "discovery.k8s.io",
    "endpointslices",
    { addressType: "IPv4", endpoints: [{ addresses: ["1", "2"] }, { addresses: ["3", "4"] }] },
    ["a", "IPv4", "<unset>", "1,2,3 + 1 more..."],
  ],
  [
    "batch",
    "jobs",
    {
      spec: { parallelism: 3, template: {} },
      status: {
        succeeded: 1,
        startTime: "2026-01-01T11:00:00Z",
        completionTime: "2026-01-01T11:01:30Z",
        conditions: [{ type: "Complete", status: "True" }],
      },
    },
    ["a", "Complete", "1/1 of 3", "90s"],
  ],
])("table of %s/%s shows kube-apiserver's cells", (group, resource, object, expected) => {
  expect(cells(group, resource, object).slice(0, expected.length)).toEqual(expected);
});
