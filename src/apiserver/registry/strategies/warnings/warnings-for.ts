import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../../kinds/apps/v1.js";
import type { CronJob, Job } from "../../../../kinds/batch/v1.js";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodTemplate, ReplicationController, Secret, Service } from "../../../../kinds/core/v1.js";
import type { Ingress } from "../../../../kinds/networking/v1.js";
import type { StorageClass } from "../../../../kinds/storage/v1.js";
import type { ApiObject } from "../../strategy.js";
import { nodeLabelWarning, podSpecWarnings, quantityWarnings, templateWarnings } from "./pod-warnings.js";

const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";
const OLD_INGRESS_CLASS = "kubernetes.io/ingress.class";

interface Templated {
  readonly spec?: { readonly template?: Parameters<typeof templateWarnings>[0] };
}

function workload(object: Templated, old: Templated | undefined): string[] {
  return templateWarnings(object.spec?.template, old?.spec?.template, "spec.template");
}

/** Warnings on writes, by resource. */
const table: Readonly<Record<string, (object: never, old: never) => string[]>> = {
  "/pods": (pod: Pod, old: Pod | undefined) => {
    if (old !== undefined) return [];
    const name = pod.metadata?.name ?? "";
    const dots = name.includes(".") ? ["metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"] : [];
    return [...dots, ...podSpecWarnings(pod.spec ?? { containers: [] }, "spec")];
  },
  "/podtemplates": (object: PodTemplate, old: PodTemplate | undefined) => templateWarnings(object.template, old?.template, "template"),
  "/replicationcontrollers": (object: ReplicationController, old: ReplicationController | undefined) => workload(object, old),
  "apps/deployments": (object: Deployment, old: Deployment | undefined) => workload(object, old),
  "apps/replicasets": (object: ReplicaSet, old: ReplicaSet | undefined) => workload(object, old),
  "apps/statefulsets": (object: StatefulSet, old: StatefulSet | undefined) => workload(object, old),
  "apps/daemonsets": (object: DaemonSet, old: DaemonSet | undefined) => workload(object, old),
  "batch/jobs": (object: Job, old: Job | undefined) => workload(object, old),
  "batch/cronjobs": ({ spec }: CronJob, old: CronJob | undefined) => templateWarnings(spec?.jobTemplate.spec?.template, old?.spec?.jobTemplate.spec?.template, "spec.jobTemplate.spec.template"),
  "/services": ({ spec = {} }: Service) => {
    const warnings: string[] = [];
    if ((spec.externalIPs ?? []).length > 0) warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
    if (spec.clusterIP === "None") {
      if ((spec.loadBalancerIP ?? "") !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
      if (spec.sessionAffinity === "ClientIP") warnings.push("spec.SessionAffinity is ignored for headless services");
    }
    if ((spec.externalName ?? "") !== "" && spec.type !== "ExternalName") warnings.push(`spec.externalName is ignored when spec.type is not "ExternalName"`);
    return warnings;
  },
  "/persistentvolumeclaims": ({ metadata, spec }: PersistentVolumeClaim) => [
    ...oldClass(metadata?.annotations), ...quantityWarnings(spec?.resources?.requests, "spec.resources.requests", ["storage"]),
  ],
  "/persistentvolumes": ({ metadata, spec }: PersistentVolume) => [
    ...oldClass(metadata?.annotations),
    ...(spec?.persistentVolumeReclaimPolicy === "Recycle"
      ? ["spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning."]
      : []),
  ],
  "/nodes": ({ spec }: Node) => ((spec?.externalID ?? "") === "" ? [] : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
  "/secrets": ({ type, data }: Secret) => {
    const certificate = type === "kubernetes.io/tls" ? data?.["tls.crt"] : undefined;
    return certificate === undefined || atob(certificate).includes("-----BEGIN ") ? [] : ["tls: failed to find any PEM data in certificate input"];
  },
  "networking.k8s.io/ingresses": ({ metadata }: Ingress, old: Ingress | undefined) =>
    old === undefined && metadata?.annotations?.[OLD_INGRESS_CLASS] !== undefined ? [`annotation "${OLD_INGRESS_CLASS}" is deprecated, please use 'spec.ingressClassName' instead`] : [],
  "storage.k8s.io/storageclasses": ({ allowedTopologies }: StorageClass) =>
    (allowedTopologies ?? []).flatMap((topology, index) =>
      (topology.matchLabelExpressions ?? []).flatMap(({ key }, position) => {
        const text = nodeLabelWarning(key);
        return text === undefined ? [] : [`allowedTopologies[${String(index)}].matchLabelExpressions[${String(position)}].key: ${text}`];
      }),
    ),
};

function oldClass(annotations: Readonly<Record<string, string>> | undefined): string[] {
  return annotations?.[OLD_CLASS] === undefined ? [] : [`metadata.annotations[${OLD_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}

/** What tells the warnings of a kind; undefined where it has none. */
export function warningsFor(group: string, resource: string): ((object: ApiObject, old: ApiObject | undefined) => string[]) | undefined {
  const key = `${group}/${resource}`;
  return Object.hasOwn(table, key) ? (table[key] as (object: ApiObject, old: ApiObject | undefined) => string[]) : undefined;
}
