import { describe, expect, it } from "vitest";
import { podRequests } from "../../../../src/cluster/scheduler/snapshot/pod-resources.js";
import { pod } from "./snapshots.js";

describe("A pod requests", () => {
  const container = (cpu: string, more: object = {}): object => ({
    name: cpu,
    resources: { requests: { cpu } },
    ...more,
  });
  it.each([
    { title: "the sum of its containers", spec: { containers: [container("1"), container("500m")] }, cpu: 1_500 },
    {
      title: "its largest init container",
      spec: { containers: [container("1")], initContainers: [container("3"), container("2")] },
      cpu: 3_000,
    },
    {
      title: "its sidecars as well",
      spec: { containers: [container("1")], initContainers: [container("250m", { restartPolicy: "Always" })] },
      cpu: 1_250,
    },
    {
      title: "an init container next to the sidecars before it",
      spec: {
        containers: [container("1")],
        initContainers: [container("1", { restartPolicy: "Always" }), container("3")],
      },
      cpu: 4_000,
    },
    { title: "its overhead", spec: { containers: [container("1")], overhead: { cpu: "100m" } }, cpu: 1_100 },
  ])("$title", ({ spec, cpu }) => expect(podRequests(pod(spec))["cpu"]).toBe(cpu));

  const held = (name: string, has: string, allocated: string): object => ({
    name,
    allocatedResources: { cpu: allocated },
    resources: { requests: { cpu: has } },
  });
  it.each([
    { title: "what it requests after a resize that adds to it", status: held("2", "1", "1"), cpu: 2_000 },
    { title: "what its container still has after a resize", status: held("2", "3", "2"), cpu: 3_000 },
    { title: "what its container was allocated before a resize", status: held("2", "1", "4"), cpu: 4_000 },
  ])("holds $title", ({ status, cpu }) => {
    const resized = { ...pod({ containers: [container("2")] }), status: { containerStatuses: [status as never] } };
    expect(podRequests(resized, { whileResized: true })["cpu"]).toBe(cpu);
    expect(podRequests(resized)["cpu"]).toBe(2_000);
  });

  it("holds what its containers and itself have while a resize is infeasible", () => {
    const conditions = [{ type: "PodResizePending", status: "True", reason: "Infeasible" }];
    const containerStatuses = [held("2", "1", "1") as never];
    const spec = { containers: [container("2")] };
    expect(podRequests({ ...pod(spec), status: { conditions, containerStatuses } }, { whileResized: true })).toEqual({
      cpu: 1_000,
    });
    const whole = { ...spec, resources: { requests: { cpu: "9" } } };
    const status = { conditions, resources: { requests: { cpu: "3" } }, allocatedResources: { cpu: "3" } };
    expect(podRequests({ ...pod(whole), status }, { whileResized: true })).toEqual({ cpu: 3_000 });
  });

  it("holds as a whole what it has until a resize of the whole pod is done", () => {
    const spec = { containers: [container("1")], resources: { requests: { cpu: "2" } } };
    const status = { resources: { requests: { cpu: "3" } }, allocatedResources: { cpu: "2", memory: "1Gi" } };
    expect(podRequests({ ...pod(spec), status }, { whileResized: true })).toEqual({ cpu: 3_000 });
  });
});
