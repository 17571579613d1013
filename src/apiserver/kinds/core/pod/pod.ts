import type { Pod, PodSpec } from "../../../../kinds/core/v1.js";
import { copyJson, replaceContent } from "../../../objects/metadata.js";
import type { KindDefinition } from "../../shared/kind-definition.js";
import { defineBuiltin } from "../../shared/kind-definition.js";
import { dropDisabled, dropDisabledStatus } from "./drop-disabled.js";
import { podDefaults } from "./pod-defaults.js";
import { validatePod, validatePodUpdate } from "./pod-errors.js";
import { podPrinter } from "./pod-printer.js";
import { validatePodStatus } from "./pod-status-errors.js";
import { podWarnings } from "./pod-warnings.js";
import { preparePod, preparePodUpdate } from "./prepare-pod.js";
import { validateEphemeralUpdate, validateResize } from "./subresource-errors.js";
import { nameWarnings } from "./workload.js";

/** Keeps the QoS class that the pod was created with. Old kubelets don't report it. Drops fields of disabled features. */
function prepareStatus(pod: Pod, old: Pod): void {
  const qosClass = old.status?.qosClass;
  if (qosClass !== undefined) (pod.status ??= {}).qosClass ??= qosClass;
  dropDisabledStatus(pod.status);
}

/** Restores the stored pod, except for what `takeSome` copies from the written one. */
function restoreExcept(pod: Pod, old: Pod, takeSome: (into: PodSpec, from: PodSpec) => void): void {
  const { resourceVersion, managedFields } = pod.metadata ?? {};
  const result = copyJson(old);
  takeSome((result.spec ??= { containers: [] }), pod.spec ?? { containers: [] });
  const metadata = { ...result.metadata };
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
  delete metadata.managedFields;
  if (managedFields !== undefined) metadata.managedFields = managedFields;
  replaceContent((pod.metadata ??= {}), metadata);
  replaceContent(pod, { ...result, metadata: pod.metadata });
}

function takeEphemeralContainers(into: PodSpec, from: PodSpec): void {
  delete into.ephemeralContainers;
  if (from.ephemeralContainers !== undefined) into.ephemeralContainers = from.ephemeralContainers;
  dropDisabled(into);
}

/** Takes the resources of the pod and its containers. Renamed or missing containers are left to the validation. */
function takeResources(into: PodSpec, from: PodSpec): void {
  take(into, from, ["resources"]);
  for (const key of ["containers", "initContainers"] as const) {
    const given = from[key] ?? [];
    const containers = into[key] ?? [];
    if (given.length !== containers.length || given.some(({ name }, index) => name !== containers[index]!.name))
      Object.assign(into, { [key]: given });
    else containers.forEach((container, index) => take(container, given[index]!, ["resources", "resizePolicy"]));
  }
}

function take<T extends object>(into: T, from: T, keys: readonly (keyof T)[]): void {
  for (const key of keys) {
    if (from[key] === undefined) Reflect.deleteProperty(into, key);
    else into[key] = from[key];
  }
}

/** Returns the grace period: the requested one or the pod's own; 0 if no kubelet runs the pod. */
function gracePeriodSeconds({ spec, status }: Pod, requested: number | undefined): number {
  const period = requested ?? spec?.terminationGracePeriodSeconds ?? 0;
  const isRunning = (spec?.nodeName ?? "") !== "" && status?.phase !== "Failed" && status?.phase !== "Succeeded";
  if (!isRunning) return 0;
  return period < 0 ? 1 : period;
}

export const pod: KindDefinition = defineBuiltin<Pod>({
  resource: "/pods",
  generation: { counts: "fromOne" },
  metadata: { checksOnUpdate: 2, keptByStatus: ["ownerReferences", "deletionTimestamp"] },
  defaults: podDefaults,
  prepare: { create: preparePod, update: preparePodUpdate, status: prepareStatus },
  validate: { create: validatePod, update: validatePodUpdate, status: validatePodStatus },
  deletion: { gracePeriodSeconds, returnsObject: true },
  warnings: (object, old) =>
    old === undefined
      ? [...nameWarnings(object), ...podWarnings(object.spec ?? { containers: [] }, object.metadata, "")]
      : [],
  printer: podPrinter,
  indexedField: "spec.nodeName",
  selectableFields: ({ spec, status }) => ({
    "spec.nodeName": spec?.nodeName ?? "",
    "spec.host": spec?.nodeName ?? "",
    "spec.restartPolicy": spec?.restartPolicy ?? "",
    "spec.schedulerName": spec?.schedulerName ?? "",
    "spec.serviceAccountName": spec?.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec?.hostNetwork ?? false),
    "status.phase": status?.phase ?? "",
    // Accepted, but no pod has a value.
    "status.podIPs": "",
    "status.podIP": status?.podIPs?.[0]?.ip ?? status?.podIP ?? "",
    "status.nominatedNodeName": status?.nominatedNodeName ?? "",
  }),
  untrackedFields: {
    status: ["spec", "metadata/deletionTimestamp", "metadata/ownerReferences"],
    resize: [],
    ephemeralcontainers: [],
  },
  subresources: {
    ephemeralcontainers: {
      tables: false,
      raisesGeneration: true,
      prepare: (object, old) => restoreExcept(object, old, takeEphemeralContainers),
      validate: validateEphemeralUpdate,
    },
    resize: {
      tables: false,
      raisesGeneration: true,
      prepare: (object, old) => restoreExcept(object, old, takeResources),
      validate: validateResize,
    },
  },
});
