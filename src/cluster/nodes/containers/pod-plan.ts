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
 * Plans the next steps of a pod: init containers one after another, then the main containers together. The last init
 * container that was created decides what comes next. While a main container is up, only sidecars are started again.
 */
export function planPod(spec: DeepReadonly<PodSpec>, view: View): PodPlan {
  const inits = spec.initContainers ?? [];
  const isUp = ({ name }: DeepReadonly<Container>): boolean => ["starting", "running"].includes(view(name).is);
  const hasEnded = (container: DeepReadonly<Container>): boolean => {
    const state = view(container.name);
    return state.is === "exited" && !restarts(container, spec, state.exitCode);
  };
  if (spec.containers.every(hasEnded)) return { start: [], finished: true };
  const last = spec.containers.some(isUp) ? inits.length : inits.findLastIndex(({ name }) => view(name).is !== "new");
  const sidecars = inits.filter((container, index) => index <= last && isSidecar(container) && !isUp(container));
  const current = inits[last];
  const step = current === undefined ? "done" : planInit(current, spec, view(current.name));
  if (step === "fail") return { start: [], finished: true };
  if (step === "wait") return { start: sidecars, finished: false };
  if (step === "start") return { start: [...sidecars, current!], finished: false };
  const next = inits[last + 1];
  const mains = spec.containers.filter((container) => !isUp(container) && !hasEnded(container));
  return { start: [...sidecars, ...(next === undefined ? mains : [next])], finished: false };
}

/** Returns the next step of an init container that was created. Sidecars that have ended are started in any case. */
function planInit(
  container: DeepReadonly<Container>,
  spec: DeepReadonly<PodSpec>,
  state: ContainerView,
): "start" | "wait" | "done" | "fail" {
  if (isSidecar(container)) return state.is === "running" && state.started ? "done" : "wait";
  if (state.is !== "exited") return "wait";
  if (state.exitCode === 0) return "done";
  return restarts(container, spec, state.exitCode) ? "start" : "fail";
}
