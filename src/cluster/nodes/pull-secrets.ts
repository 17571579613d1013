import { type Pod, Secret } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { PodHost } from "./pod-host.js";

/** Records an event about a pod whose image pull secrets are missing. The pod starts all the same. */
export function reportMissingPullSecrets(host: PodHost, pod: DeepReadonly<Pod>): void {
  const names = (pod.spec?.imagePullSecrets ?? []).flatMap(({ name = "" }) => (name === "" ? [] : [name]));
  if (names.length === 0) return;
  const secrets = host.client.resource(Secret).namespace(pod.metadata!.namespace!);
  const report = (found: readonly unknown[]): void => {
    const missing = names.filter((_, index) => found[index] === undefined).join(", ");
    if (missing === "") return;
    const note = `Unable to retrieve some image pull secrets (${missing}); attempting to pull the image may not succeed.`;
    host.event(pod, { type: "Warning", reason: "FailedToRetrieveImagePullSecret", note });
  };
  // Without an answer, nothing is known about them.
  Promise.all(names.map((name) => secrets.getOptional(name))).then(report, () => undefined);
}
