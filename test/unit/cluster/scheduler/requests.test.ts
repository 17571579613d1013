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
});
