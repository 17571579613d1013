import type { Container, PodSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns true for an init container that keeps running next to the main containers. */
export function isSidecar(container: DeepReadonly<Container>): boolean {
  return container.restartPolicy === "Always";
}

/** Action of a restart rule that restarts the whole pod in place. */
const restartAll = "RestartAllContainers";

/** Returns the action of the first of a container's restart rules that matches an exit code. */
function matchingAction({ restartPolicyRules }: DeepReadonly<Container>, exitCode: number): string | undefined {
  return restartPolicyRules?.find(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) === true;
    return exitCodes?.operator === "NotIn" ? !listed : listed;
  })?.action;
}

/** Returns true if the end of a container with an exit code restarts all containers of its pod. */
export function restartsAll(container: DeepReadonly<Container>, exitCode: number): boolean {
  return matchingAction(container, exitCode) === restartAll;
}

/** Returns true if a container that ended with an exit code starts again. */
export function restarts(container: DeepReadonly<Container>, spec: DeepReadonly<PodSpec>, exitCode: number): boolean {
  if (matchingAction(container, exitCode) !== undefined) return true;
  const policy = container.restartPolicy ?? spec.restartPolicy ?? "Always";
  // An init container that has succeeded isn't run again.
  const onlyFailures = container.restartPolicy === undefined && spec.initContainers?.includes(container) === true;
  if (policy === "Always" && !onlyFailures) return true;
  return policy !== "Never" && exitCode !== 0;
}
