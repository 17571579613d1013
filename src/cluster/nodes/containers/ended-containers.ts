import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";

/** Container of a pod that ran before its node failed. */
interface EndedContainer {
  readonly container: DeepReadonly<Container>;
  readonly restartCount: number;
  readonly terminated: ContainerStateTerminated;
}

/** Returns the containers that have run by the status of a pod. Those that ran last have ended with their node. */
export function endedContainers({ spec, status }: DeepReadonly<Pod>, nowMs: number): EndedContainer[] {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const containers = new Map(
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((container) => [container.name, container]),
  );
  return [...initContainerStatuses, ...containerStatuses].flatMap((known) => {
    const container = containers.get(known.name);
    const terminated = lastEnd(known, nowMs);
    if (container === undefined || terminated === undefined) return [];
    return [{ container, restartCount: known.restartCount, terminated: { ...terminated } }];
  });
}

/** Returns the state in which a container has ended last; `undefined` if it hasn't run. */
function lastEnd(
  { state, lastState, containerID = "" }: DeepReadonly<ContainerStatus>,
  nowMs: number,
): DeepReadonly<ContainerStateTerminated> | undefined {
  const startedAt = state?.running?.startedAt;
  if (startedAt === undefined) return state?.terminated ?? lastState?.terminated;
  return { exitCode: 255, reason: "Unknown", startedAt, finishedAt: formatTime(nowMs), containerID };
}
