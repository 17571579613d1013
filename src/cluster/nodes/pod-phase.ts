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
  const mains = spec.containers.map((container) => ({ container, exitCode: exitCodeOf(container) }));
  const initialized = mains.some(({ container, exitCode }) => isRunning(container) || exitCode !== undefined);

  for (const container of inits.filter((each) => !isSidecar(each))) {
    const exitCode = exitCodeOf(container);
    const isFailure = exitCode !== undefined && exitCode !== 0;
    if (isFailure && !restarts(container, spec, exitCode) && !wasRemoved(container)) return "Failed";
    if (exitCode === undefined && !initialized) return isTerminal ? "Failed" : "Pending";
  }
  if (mains.some(({ container, exitCode }) => !isRunning(container) && exitCode === undefined))
    return isTerminal ? "Failed" : "Pending";
  const isUp = [...inits.filter(isSidecar), ...spec.containers].some(isRunning);
  if (isUp) return "Running";
  const restarting = mains.some(
    ({ container, exitCode }) => restarts(container, spec, exitCode!) || wasRemoved(container),
  );
  if (restarting && !isTerminal) return "Running";
  return mains.every(({ exitCode }) => exitCode === 0) ? "Succeeded" : "Failed";
}
