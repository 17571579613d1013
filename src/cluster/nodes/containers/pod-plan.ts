import type { Container, PodSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isSidecar, restarts } from "./restart-policy.js";

/** Phase of a container that the plan of its pod depends on. */
export type ContainerView =
  | { readonly is: "new" }
  /** Being created, or waiting for its image or its configuration. */
  | { readonly is: "starting" }
  | { readonly is: "running"; readonly started: boolean }
  | { readonly is: "exited"; readonly exitCode: number };

/** Next steps of a pod. */
export interface PodPlan {
  /** Containers to start or, if they have ended, to start again. */
  readonly start: readonly DeepReadonly<Container>[];
  /** True if no container will start again. Sidecars that still run have to stop. */
  readonly finished: boolean;
}

type View = (name: string) => ContainerView;

/**
 * Plans the next steps of a pod: init containers one after another, then the main containers together.
 */
export function planPod(spec: DeepReadonly<PodSpec>, view: View): PodPlan {
  const inits = spec.initContainers ?? [];
  const initialized = spec.containers.some(({ name }) => view(name).is !== "new");
  if (initialized) return planMain(spec, inits.filter(isSidecar), view);
  const start: DeepReadonly<Container>[] = [];
  for (const container of inits) {
    const state = view(container.name);
    const step = planInit(container, spec, state);
    if (step === "fail") return { start: [], finished: true };
    if (step === "start" || step === "restart") start.push(container);
    // A sidecar that ended doesn't hold up the containers after it.
    if (step === "start" || step === "wait") return { start, finished: false };
  }
  return { finished: false, start: [...start, ...spec.containers] };
}

function planInit(
  container: DeepReadonly<Container>,
  spec: DeepReadonly<PodSpec>,
  state: ContainerView,
): "start" | "restart" | "wait" | "done" | "fail" {
  if (state.is === "new") return "start";
  if (state.is === "starting") return "wait";
  if (state.is === "running") return isSidecar(container) && state.started ? "done" : "wait";
  if (isSidecar(container)) return "restart";
  if (state.exitCode === 0) return "done";
  return restarts(container, spec, state.exitCode) ? "start" : "fail";
}

function planMain(spec: DeepReadonly<PodSpec>, sidecars: readonly DeepReadonly<Container>[], view: View): PodPlan {
  const ended = (container: DeepReadonly<Container>): boolean => {
    const state = view(container.name);
    return state.is === "exited" && !restarts(container, spec, state.exitCode);
  };
  if (spec.containers.every(ended)) return { start: [], finished: true };
  const start = [...sidecars, ...spec.containers].filter((container) => {
    const state = view(container.name);
    return state.is === "new" || (state.is === "exited" && !ended(container));
  });
  return { start, finished: false };
}
