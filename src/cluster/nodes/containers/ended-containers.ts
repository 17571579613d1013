import type { Container, ContainerStateTerminated, Pod } from "../../../kinds/core/v1.js";
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
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state, restartCount, containerID = "" }) => {
    const startedAt = state?.running?.startedAt;
    const container = containers.get(name);
    if (container === undefined || (state?.terminated === undefined && startedAt === undefined)) return [];
    const lost = {
      exitCode: 255,
      reason: "Unknown",
      startedAt: startedAt!,
      finishedAt: formatTime(nowMs),
      containerID,
    };
    return [{ container, restartCount, terminated: { ...(state?.terminated ?? lost) } }];
  });
}
