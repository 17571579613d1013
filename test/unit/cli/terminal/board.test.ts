import { expect, it } from "vitest";
import type { PodState } from "../../../../src/cli/terminal/board.js";
import { createBoard, slimPod } from "../../../../src/cli/terminal/board.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";

interface Given {
  readonly revision?: string;
  readonly owner?: { readonly kind: string; readonly name: string };
  readonly created?: string;
  readonly deleted?: boolean;
  readonly ready?: boolean;
  readonly status?: Pod["status"];
}

function podOf({ revision = "7f", owner, created = "2026-01-01T00:00:00Z", deleted, ready, status }: Given): Pod {
  return slimPod({
    metadata: {
      name: "web-x",
      namespace: "shop",
      creationTimestamp: created,
      labels: { "pod-template-hash": revision, app: "web" },
      ...(deleted === true && { deletionTimestamp: created }),
      ...(owner && { ownerReferences: [{ apiVersion: "apps/v1", uid: "u", controller: true, ...owner }] }),
    },
    spec: { containers: [{ name: "main", image: `web:${revision}` }] },
    status: { ...(ready === true && { conditions: [{ type: "Ready", status: "True" }] }), ...status },
  });
}

const replicaSet = { kind: "ReplicaSet", name: "web-7f" };

it.each<[string, Given, string]>([
  ["a ReplicaSet that belongs to a Deployment", { owner: replicaSet }, "shop/web"],
  ["a ReplicaSet of its own", { owner: { kind: "ReplicaSet", name: "plain" } }, "shop/plain"],
  ["a StatefulSet", { owner: { kind: "StatefulSet", name: "web-7f" } }, "shop/web-7f"],
  ["nothing", {}, "shop/web-x"],
])("the demo's board puts the pod of %s into the right row", (_owner, given, name) => {
  const board = createBoard();
  board.add(podOf(given));
  expect(board.rows().map((row) => row.name)).toEqual([name]);
});

it.each<[PodState, Given]>([
  ["ready", { ready: true, status: { phase: "Running" } }],
  ["starting", { status: { phase: "Pending" } }],
  ["failing", { status: { phase: "Failed" } }],
  ["failing", { status: { containerStatuses: [crashed({ waiting: { reason: "CrashLoopBackOff" } })] } }],
  ["failing", { status: { containerStatuses: [crashed({ terminated: { exitCode: 137 } })] } }],
  ["stopping", { ready: true, deleted: true }],
  ["done", { status: { phase: "Succeeded" } }],
])("the demo's board counts a pod as %s: %j", (state, given) => {
  const board = createBoard();
  board.add(podOf(given));
  expect(board.rows()[0]!.counts[state]).toBe(1);
  expect(board.total).toBe(1);
});

it("the demo's board shows ready pods of older revisions as outdated until they are gone", () => {
  const board = createBoard();
  const old = podOf({ owner: replicaSet, ready: true });
  const next = (ready: boolean): Pod =>
    podOf({ revision: "8a", owner: { kind: "ReplicaSet", name: "web-8a" }, created: "2026-01-01T00:00:09Z", ready });
  board.add(old);
  board.add(next(false));
  expect(board.rows()).toMatchObject([{ image: "web:8a", counts: { ready: 0, outdated: 1, starting: 1 }, total: 2 }]);
  // The rollout is undone before a pod of it was ready.
  board.remove(next(false));
  expect(board.rows()).toMatchObject([{ image: "web:7f", counts: { ready: 1, outdated: 0, starting: 0 }, total: 1 }]);
  board.remove(old);
  expect(board.rows()).toEqual([]);
  expect(board.total).toBe(0);
});

it("the demo's board accepts names such as __proto__ as data", () => {
  const board = createBoard();
  board.add(podOf({ owner: { kind: "StatefulSet", name: "__proto__" } }));
  expect(board.rows().map(({ name, total }) => [name, total])).toEqual([["shop/__proto__", 1]]);
});

function crashed(state: object): NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number] {
  return { name: "main", image: "web:7f", imageID: "", ready: false, restartCount: 1, state };
}
