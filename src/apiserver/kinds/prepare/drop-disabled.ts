import type { PodSpec } from "../../../kinds/core/v1.js";
import type { ApiObject } from "../../objects/api-object.js";
import { containersOf } from "../core/pod/pod-containers.js";

interface Templated {
  readonly spec?: {
    readonly template?: { readonly spec?: PodSpec };
    readonly jobTemplate?: { readonly spec?: { readonly template?: { readonly spec?: PodSpec } } };
  };
  readonly template?: { readonly spec?: PodSpec };
}

/** Where kinds have what a pod is to run. */
const podSpecs: Readonly<Record<string, (object: Templated) => PodSpec | undefined>> = {
  "/pods": ({ spec }) => spec as PodSpec | undefined,
  "/podtemplates": ({ template }) => template?.spec,
  "batch/cronjobs": ({ spec }) => spec?.jobTemplate?.spec?.template?.spec,
  ...Object.fromEntries(
    [
      "/replicationcontrollers",
      "apps/deployments",
      "apps/replicasets",
      "apps/statefulsets",
      "apps/daemonsets",
      "batch/jobs",
    ].map((key) => [key, ({ spec }: Templated) => spec?.template?.spec]),
  ),
};

/** Whether a kind has pods or makes them. */
export function hasPods(key: string): boolean {
  return Object.hasOwn(podSpecs, key);
}

/** Takes out of a pod, or of a template for pods, what is behind features that are off, in place. */
export function dropDisabled(key: string, object: ApiObject): void {
  const spec = podSpecs[key]?.(object as Templated);
  if (spec === undefined) return;
  delete spec.schedulingGroup;
  for (const { projected } of spec.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
  }
  for (const [container] of containersOf(spec, "")) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}
