import { describe, expect, it } from "vitest";
import { inDeletionOrder, newestFirst } from "../../../../../src/cluster/controllers/shared/delete-order.js";
import type { Pod } from "../../../../../src/kinds/core/v1.js";

const nowMs = Date.UTC(2026, 0, 2);
const ago = (seconds: number): string => new Date(nowMs - seconds * 1_000).toISOString();

/** Properties of a pod by which a test distinguishes it. Times are seconds before now. */
interface Traits {
  readonly node?: string | undefined;
  readonly phase?: "Pending" | "Unknown" | "Running" | "Failed";
  readonly ready?: number;
  readonly created?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly initRestarts?: number;
}

function podOf(uid: string, { node = "a", phase = "Running", ready, created = 1, ...rest }: Traits): Pod {
  const status = (name: string, restartCount = 0) => ({ name, restartCount, ready: true, image: "i", imageID: "" });
  const { cost, restarts, sidecarRestarts, initRestarts } = rest;
  return {
    metadata: {
      name: uid,
      uid,
      creationTimestamp: ago(created),
      ...(cost && { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: {
      ...(node !== "" && { nodeName: node }),
      containers: [{ name: "main", image: "i" }],
      initContainers: [
        { name: "init", image: "i" },
        { name: "proxy", image: "i", restartPolicy: "Always" },
      ],
    },
    status: {
      phase,
      containerStatuses: [status("main", restarts)],
      initContainerStatuses: [status("init", initRestarts), status("proxy", sidecarRestarts)],
      ...(ready !== undefined && { conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(ready) }] }),
    },
  };
}

const names = (pods: readonly { metadata?: { readonly name?: string | undefined } | undefined }[]): string =>
  pods.map(({ metadata }) => metadata?.name).join(" ");

const shared: readonly [string, Traits, Traits][] = [
  ["a pod without a node before one with a node", { node: "" }, { phase: "Pending" }],
  ["a pending pod before an unknown one", { phase: "Pending" }, { phase: "Unknown" }],
  ["an unknown pod before a running one", { phase: "Unknown" }, { phase: "Running" }],
  ["a pod that isn't ready before a ready one", {}, { ready: 1 }],
  ["a pod that became ready later", { ready: 1 }, { ready: 100 }],
  ["a pod with more restarts", { restarts: 2, sidecarRestarts: 0 }, { restarts: 1, sidecarRestarts: 9 }],
  ["a pod with more restarts of its sidecar", { sidecarRestarts: 2 }, { sidecarRestarts: 1, initRestarts: 5 }],
  ["a pod that was created later", { created: 1 }, { created: 100 }],
];

describe("deletion order of a ReplicaSet", () => {
  it.each<[string, Traits, Traits]>([
    ...shared,
    ["a pod of a lower cost", { cost: "-5", ready: 100 }, { cost: "1", ready: 1 }],
  ])("starts with %s", (_, first, second) => {
    // The UIDs would decide otherwise.
    const [a, b] = [podOf("a", second), podOf("b", first)];
    expect(names(inDeletionOrder([a, b], [a, b], nowMs))).toBe("b a");
  });

  it.each<[string, Traits, Traits]>([
    ["became ready", { ready: 101 }, { ready: 100, restarts: 9 }],
    ["were created", { created: 101 }, { created: 100 }],
  ])("starts with the lower UID of pods that %s at similar times", (_, first, second) => {
    const [a, b] = [podOf("a", first), podOf("b", second)];
    expect(names(inDeletionOrder([b, a], [a, b], nowMs))).toBe("a b");
  });

  it("starts with a pod whose node runs more active pods of the workload, and doesn't count ended ones", () => {
    const [a, b] = [podOf("a", { node: "full", ready: 9 }), podOf("b", { node: "other", ready: 1 })];
    const more = podOf("c", { node: "full" });
    const ended = ["d", "e"].map((uid) => podOf(uid, { node: "other", phase: "Failed" }));
    expect(names(inDeletionOrder([b, a], [a, b, more, ...ended], nowMs))).toBe("a b");
  });
});

describe("deletion order of a Job", () => {
  it.each<[string, Traits, Traits]>([
    ...shared,
    ["the later of two pods with similar ages", { ready: 100 }, { ready: 101, restarts: 9 }],
    ["the later of two pods, whatever their costs", { ready: 100, cost: "9" }, { ready: 200, cost: "-9" }],
  ])("starts with %s", (_, first, second) => {
    // The UIDs would decide otherwise.
    expect(names(newestFirst([podOf("a", second), podOf("b", first)]))).toBe("b a");
  });
});
