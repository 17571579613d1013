import { expect, it } from "vitest";
import { podPhase } from "../../../../src/cluster/nodes/pod-phase.js";
import type { Container, ContainerStatus, PodSpec } from "../../../../src/kinds/core/v1.js";

/** A container and its state: `running`, `waiting`, `exit 1`, `back-off 1` or `removed`, after its restart policy. */
type Row = readonly [container: Partial<Container>, state: string];

interface Case {
  readonly title: string;
  readonly policy: NonNullable<PodSpec["restartPolicy"]>;
  readonly inits?: readonly Row[];
  readonly mains: readonly Row[];
  readonly phase: string;
}

const plain = {};
const sidecar: Partial<Container> = { restartPolicy: "Always" };
const always: Partial<Container> = { restartPolicy: "Always" };
const onFailure: Partial<Container> = { restartPolicy: "OnFailure" };
const never: Partial<Container> = { restartPolicy: "Never" };
const restartsAll: Partial<Container> = {
  restartPolicy: "Never",
  restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } }],
};

function statusOf(name: string, state: string): ContainerStatus {
  const [kind, code = "137"] = state.split(" ");
  const terminated = { exitCode: Number(code), ...(kind === "removed" && { reason: "RestartingAllContainers" }) };
  const base = { name, image: "", imageID: "", ready: false, restartCount: 0 };
  if (kind === "running") return { ...base, state: { running: {} } };
  if (kind === "exit") return { ...base, state: { terminated } };
  return { ...base, state: { waiting: {} }, ...(kind !== "waiting" && { lastState: { terminated } }) };
}

it.each<Case>([
  {
    title: "is pending while an init container runs",
    policy: "Always",
    inits: [[plain, "running"]],
    mains: [[plain, "waiting"]],
    phase: "Pending",
  },
  {
    title: "is pending while an init container runs again after all containers were removed",
    policy: "Always",
    inits: [[plain, "running"]],
    mains: [[restartsAll, "removed"]],
    phase: "Pending",
  },
  {
    title: "is pending while an init container waits to run again",
    policy: "Always",
    inits: [[plain, "back-off 1"]],
    mains: [[plain, "waiting"]],
    phase: "Pending",
  },
  {
    title: "has failed with an init container that never restarts",
    policy: "Never",
    inits: [[plain, "exit 1"]],
    mains: [[plain, "waiting"]],
    phase: "Failed",
  },
  {
    title: "has failed with an init container whose own policy is Never",
    policy: "Always",
    inits: [[never, "exit 1"]],
    mains: [[plain, "waiting"]],
    phase: "Failed",
  },
  {
    title: "is pending with a failed init container whose own policy is OnFailure",
    policy: "Never",
    inits: [[onFailure, "exit 1"]],
    mains: [[plain, "waiting"]],
    phase: "Pending",
  },
  {
    title: "is pending with a failed init container that restarts all",
    policy: "Never",
    inits: [[restartsAll, "exit 42"]],
    mains: [[plain, "waiting"]],
    phase: "Pending",
  },
  {
    title: "has failed if an init container fails after all containers were removed",
    policy: "Never",
    inits: [[plain, "exit 1"]],
    mains: [[restartsAll, "removed"]],
    phase: "Failed",
  },
  {
    title: "is pending while a sidecar runs and main containers wait",
    policy: "Always",
    inits: [[sidecar, "running"]],
    mains: [
      [plain, "running"],
      [plain, "waiting"],
    ],
    phase: "Pending",
  },
  {
    title: "is running with a sidecar that waits to run again",
    policy: "Always",
    inits: [[sidecar, "back-off 1"]],
    mains: [[plain, "running"]],
    phase: "Running",
  },
  {
    title: "is running with a sidecar after its main containers",
    policy: "Never",
    inits: [[sidecar, "running"]],
    mains: [[plain, "exit 0"]],
    phase: "Running",
  },
  {
    title: "has succeeded with a failed sidecar",
    policy: "Never",
    inits: [[sidecar, "exit 1"]],
    mains: [[plain, "exit 0"]],
    phase: "Succeeded",
  },
  {
    title: "has succeeded with a sidecar that waits to run again",
    policy: "Never",
    inits: [[sidecar, "back-off 1"]],
    mains: [[plain, "exit 0"]],
    phase: "Succeeded",
  },
  {
    title: "is running while one of its main containers runs",
    policy: "Never",
    mains: [
      [plain, "exit 1"],
      [plain, "running"],
    ],
    phase: "Running",
  },
  {
    title: "is running while all main containers wait to run again",
    policy: "OnFailure",
    mains: [[plain, "back-off 1"]],
    phase: "Running",
  },
  {
    title: "has failed with a main container whose own policy is Never",
    policy: "Always",
    mains: [[never, "exit 1"]],
    phase: "Failed",
  },
  {
    title: "is running with a failed main container whose own policy is OnFailure",
    policy: "Never",
    mains: [[onFailure, "exit 1"]],
    phase: "Running",
  },
  {
    title: "is running with a failed container if another one restarts",
    policy: "Never",
    mains: [
      [always, "exit 0"],
      [plain, "exit 1"],
    ],
    phase: "Running",
  },
  {
    title: "has failed with one failed container and no other that restarts",
    policy: "Always",
    mains: [
      [never, "exit 1"],
      [onFailure, "exit 0"],
    ],
    phase: "Failed",
  },
  {
    title: "has succeeded when all containers have by their own policies",
    policy: "Always",
    mains: [
      [never, "exit 0"],
      [onFailure, "exit 0"],
    ],
    phase: "Succeeded",
  },
  {
    title: "is running when a container has ended that restarts all",
    policy: "Never",
    mains: [[restartsAll, "exit 42"]],
    phase: "Running",
  },
  {
    title: "is running when all containers were removed to start again",
    policy: "Never",
    inits: [[sidecar, "removed"]],
    mains: [[plain, "removed"]],
    phase: "Running",
  },
])("phase of a pod $title", ({ policy, inits = [], mains, phase }) => {
  const list = (prefix: string, rows: readonly Row[]): Container[] =>
    rows.map(([container], index) => ({ name: `${prefix}${String(index)}`, image: "web:1", ...container }));
  const spec = { restartPolicy: policy, initContainers: list("init", inits), containers: list("main", mains) };
  const statuses = [
    ...inits.map(([, state], index) => statusOf(`init${String(index)}`, state)),
    ...mains.map(([, state], index) => statusOf(`main${String(index)}`, state)),
  ];
  expect(podPhase(spec, new Map(statuses.map((status) => [status.name, status])), false)).toBe(phase);
});
