import { expect, it } from "vitest";
import { type ContainerView, planPod } from "../../../../src/cluster/nodes/containers/pod-plan.js";
import type { Container, PodSpec } from "../../../../src/kinds/core/v1.js";

interface Case {
  readonly title: string;
  readonly policy?: PodSpec["restartPolicy"];
  /** Init containers, with a `*` for a sidecar, and their states: `new`, `starting`, `running`, `started` or `exit 1`. */
  readonly inits?: Readonly<Record<string, string>>;
  readonly mains: Readonly<Record<string, string>>;
  readonly start: readonly string[] | "finished";
}

function viewOf(state: string): ContainerView {
  if (state.startsWith("exit")) return { is: "exited", exitCode: Number(state.slice(5)) };
  if (state === "running" || state === "started") return { is: "running", started: state === "started" };
  return { is: state as "new" | "starting" };
}

it.each<Case>([
  { title: "starts the first init container alone", inits: { a: "new", b: "new" }, mains: { m: "new" }, start: ["a"] },
  { title: "waits for an init container", inits: { a: "started", b: "new" }, mains: { m: "new" }, start: [] },
  { title: "starts the next init container", inits: { a: "exit 0", b: "new" }, mains: { m: "new" }, start: ["b"] },
  { title: "starts a failed init container again", inits: { a: "exit 1" }, mains: { m: "new" }, start: ["a"] },
  {
    title: "ends a pod whose init container has failed for good",
    policy: "Never",
    inits: { "s*": "started", a: "exit 1" },
    mains: { m: "new" },
    start: "finished",
  },
  {
    title: "starts main containers after init containers",
    inits: { a: "exit 0" },
    mains: { m: "new", n: "new" },
    start: ["m", "n"],
  },
  { title: "waits for a sidecar to start", inits: { "s*": "running", a: "new" }, mains: { m: "new" }, start: [] },
  {
    title: "goes on when a sidecar has started",
    inits: { "s*": "started", a: "new" },
    mains: { m: "new" },
    start: ["a"],
  },
  {
    title: "starts nothing after a sidecar that has ended before the next container was created",
    inits: { "s*": "exit 1", a: "new" },
    mains: { m: "new" },
    start: ["s*"],
  },
  {
    title: "starts a sidecar again next to an init container that runs",
    inits: { "s*": "exit 1", a: "started" },
    mains: { m: "new" },
    start: ["s*"],
  },
  {
    title: "starts a sidecar again with the next init container",
    inits: { "s*": "exit 1", a: "exit 0", b: "new" },
    mains: { m: "new" },
    start: ["s*", "b"],
  },
  {
    title: "starts a sidecar and a main container again next to another one that runs",
    inits: { "s*": "exit 1" },
    mains: { m: "exit 1", n: "started" },
    start: ["s*", "m"],
  },
  {
    title: "starts main containers again only after their last sidecar",
    inits: { "s*": "exit 1" },
    mains: { m: "exit 1" },
    start: ["s*"],
  },
  {
    title: "leaves a main container that is being created",
    inits: { "s*": "started" },
    mains: { m: "starting" },
    start: [],
  },
  {
    title: "ends a pod when its main containers have ended for good",
    policy: "OnFailure",
    inits: { "s*": "exit 1" },
    mains: { m: "exit 0", n: "exit 0" },
    start: "finished",
  },
  {
    title: "starts only main containers that have failed",
    policy: "OnFailure",
    mains: { m: "exit 0", n: "exit 1" },
    start: ["n"],
  },
])("kubelet $title", ({ policy = "Always", inits = {}, mains, start }) => {
  const list = (names: readonly string[]): Container[] =>
    names.map((name) => ({ name, image: "web:1", ...(name.endsWith("*") && { restartPolicy: "Always" }) }));
  const spec = {
    restartPolicy: policy,
    initContainers: list(Object.keys(inits)),
    containers: list(Object.keys(mains)),
  };
  const plan = planPod(spec, (name) => viewOf({ ...inits, ...mains }[name]!));
  expect(plan.finished ? "finished" : plan.start.map(({ name }) => name)).toEqual(start);
});
