import type { Container, PodSpec } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

/** Returns true for an init container that keeps running next to the main containers. */
export function isSidecar(container: DeepReadonly<Container>): boolean {
  return container.restartPolicy === "Always";
}

/** Returns true if a container that ended with an exit code starts again. */
export function restarts(container: DeepReadonly<Container>, spec: DeepReadonly<PodSpec>, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const listed = exitCodes?.values?.includes(exitCode) === true;
    if (action === "Restart" && (exitCodes?.operator === "NotIn" ? !listed : listed)) return true;
  }
  const policy = container.restartPolicy ?? spec.restartPolicy ?? "Always";
  // An init container that has succeeded isn't run again.
  const onlyFailures = container.restartPolicy === undefined && spec.initContainers?.includes(container) === true;
  if (policy === "Always" && !onlyFailures) return true;
  return policy !== "Never" && exitCode !== 0;
}
