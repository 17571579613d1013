import type { Container, ContainerStatus, PodSpec, PodStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { removedState } from "./containers/container-phase.js";
import { isSidecar, restarts } from "./containers/restart-policy.js";

/** Phase of a pod on a node. */
export type PodPhase = NonNullable<PodStatus["phase"]>;

type Statuses = ReadonlyMap<string, DeepReadonly<ContainerStatus>>;

/**
 * Returns the phase that follows from the states of the containers. `isTerminal` is true if no container will start
 * again whatever its restart policy.
 */
export function podPhase(spec: DeepReadonly<PodSpec>, statuses: Statuses, isTerminal: boolean): PodPhase {
  const inits = spec.initContainers ?? [];
  const exitCodeOf = ({ name }: DeepReadonly<Container>): number | undefined => {
    const status = statuses.get(name);
    if (status?.state?.running !== undefined) return undefined;
    return (status?.state?.terminated ?? status?.lastState?.terminated)?.exitCode;
  };
  const wasRemoved = ({ name }: DeepReadonly<Container>): boolean => {
    const status = statuses.get(name);
    return status?.state?.terminated === undefined && status?.lastState?.terminated?.reason === removedState.reason;
  };
  const isRunning = ({ name }: DeepReadonly<Container>): boolean => statuses.get(name)?.state?.running !== undefined;
  const mayRestart = (container: DeepReadonly<Container>, exitCode: number): boolean =>
    restarts(container, spec, exitCode) || wasRemoved(container);

  const ending = inits.filter((container) => !isSidecar(container));
  const hasFailed = ending.some((container) => {
    const exitCode = exitCodeOf(container) ?? 0;
    return exitCode !== 0 && !mayRestart(container, exitCode);
  });
  if (hasFailed) return "Failed";
  const isPending =
    ending.some((container) => exitCodeOf(container) === undefined) ||
    spec.containers.some((container) => !isRunning(container) && exitCodeOf(container) === undefined);
  if (isPending) return isTerminal ? "Failed" : "Pending";
  if ([...inits, ...spec.containers].some(isRunning)) return "Running";
  const mains = spec.containers.map((container) => ({ container, exitCode: exitCodeOf(container)! }));
  if (!isTerminal && mains.some(({ container, exitCode }) => mayRestart(container, exitCode))) return "Running";
  return mains.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
}
