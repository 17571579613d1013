import type { Container, Pod, PodSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns true for the name of an init container of a pod. */
export function isInit({ spec }: DeepReadonly<Pod>, { name }: Pick<Container, "name">): boolean {
  return spec?.initContainers?.some((container) => container.name === name) === true;
}

/** Returns true if an init container keeps running next to the main containers. */
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

/** Returns the policy by which a container restarts if no rule matches. */
export function restartPolicyOf({ restartPolicy }: DeepReadonly<Container>, spec: DeepReadonly<PodSpec>): string {
  return restartPolicy ?? spec.restartPolicy ?? "Always";
}

/** Returns true if a container that ended with an exit code starts again. */
export function restarts(container: DeepReadonly<Container>, spec: DeepReadonly<PodSpec>, exitCode: number): boolean {
  if (matchingAction(container, exitCode) !== undefined) return true;
  const policy = restartPolicyOf(container, spec);
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
