import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../../kinds/apps/v1.js";
import type { CronJob, Job } from "../../../../kinds/batch/v1.js";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, PodTemplate, ReplicationController, Secret, Service } from "../../../../kinds/core/v1.js";
import type { Ingress } from "../../../../kinds/networking/v1.js";
import type { CSIDriver, StorageClass } from "../../../../kinds/storage/v1.js";
import { addressProblem, canonicalAddress, parseRange } from "../../../schema/addresses.js";
import type { ApiObject } from "../../strategy.js";
import { nodeLabelWarning, podSpecWarnings, quantityWarnings, templateWarnings } from "./pod-warnings.js";

const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";
const OLD_TOPOLOGY = "service.kubernetes.io/topology-aware-hints";
const OLD_INGRESS_CLASS = "kubernetes.io/ingress.class";

interface Named {
  readonly metadata?: { readonly name?: string };
}

interface Templated {
  readonly spec?: { readonly template?: Parameters<typeof templateWarnings>[0] };
}

function workload(object: Templated, old: Templated | undefined): string[] {
  return templateWarnings(object.spec?.template, old?.spec?.template, "spec.template");
}

/** New objects whose names become names of pods are told where that is no DNS label. */
function nameWarnings({ metadata }: Named, use = "Pod names and hostnames"): string[] {
  const name = metadata?.name ?? "";
  const problems = [...(name.length > 63 ? ["must be no more than 63 characters"] : []), ...(name.includes(".") ? ["must not contain dots"] : [])];
  return problems.length === 0 ? [] : [`metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`];
}

/** Of workloads that make pods: their names, and their templates. */
function named(object: Named & Templated, old: Templated | undefined): string[] {
  return [...(old === undefined ? nameWarnings(object) : []), ...workload(object, old)];
}

/** Addresses that are no longer taken everywhere. */
function addressWarnings(at: string, text: string): string[] {
  const problem = addressProblem(text);
  if (problem === undefined || (parseRange(`${text}/0`) === undefined)) return [];
  const canonical = canonicalAddress(text);
  return [problem.startsWith("must be in canonical form") ? `${at}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})` : `${at}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(canonical)}`];
}

/** Warnings on writes, by resource. */
const table: Readonly<Record<string, (object: never, old: never) => string[]>> = {
  "/pods": (pod: Pod, old: Pod | undefined) => {
    if (old !== undefined) return [];
    return [...nameWarnings(pod, "the Pod's hostname"), ...podSpecWarnings(pod.spec ?? { containers: [] }, "spec")];
  },
  "/podtemplates": (object: PodTemplate, old: PodTemplate | undefined) => templateWarnings(object.template, old?.template, "template"),
  "/replicationcontrollers": (object: ReplicationController, old: ReplicationController | undefined) => named(object, old),
  "apps/deployments": (object: Deployment, old: Deployment | undefined) => named(object, old),
  "apps/replicasets": (object: ReplicaSet, old: ReplicaSet | undefined) => named(object, old),
  "apps/statefulsets": (object: StatefulSet, old: StatefulSet | undefined) => workload(object, old),
  "apps/daemonsets": (object: DaemonSet, old: DaemonSet | undefined) => workload(object, old),
  "batch/jobs": (object: Job, old: Job | undefined) => named(object, old),
  "batch/cronjobs": (object: CronJob, old: CronJob | undefined) => [...(old === undefined ? nameWarnings(object) : []), ...templateWarnings(object.spec?.jobTemplate.spec?.template, old?.spec?.jobTemplate.spec?.template, "spec.jobTemplate.spec.template")],
  "/services": serviceWarnings,
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
  "storage.k8s.io/csidrivers": ({ spec }: CSIDriver, old: CSIDriver | undefined) => {
    const asked = spec.tokenRequests ?? [];
    const news = old === undefined || JSON.stringify(asked) !== JSON.stringify(old.spec.tokenRequests ?? []);
    return asked.length > 0 && news && spec.serviceAccountTokenInSecrets === undefined
      ? ["spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"]
      : [];
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

function serviceWarnings({ metadata, spec = {} }: Service): string[] {
  const warnings: string[] = [];
  const external = spec.externalIPs ?? [];
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  if (metadata?.annotations?.[OLD_TOPOLOGY] !== undefined) warnings.push(`annotation ${OLD_TOPOLOGY} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (spec.type !== "ExternalName" && spec.clusterIP !== "None") (spec.clusterIPs ?? []).forEach((ip, at) => warnings.push(...addressWarnings(`spec.clusterIPs[${String(at)}]`, ip)));
  if (headless) {
    if ((spec.loadBalancerIP ?? "") !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (external.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  external.forEach((ip, at) => warnings.push(...addressWarnings(`spec.externalIPs[${String(at)}]`, ip)));
  if (external.length > 0 && !headless && spec.type !== "ExternalName") warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if ((spec.loadBalancerIP ?? "") !== "") warnings.push(...addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP!));
  if (spec.type === "ExternalName" && external.length > 0) warnings.push(`spec.externalIPs is ignored when spec.type is "ExternalName"`);
  if ((spec.externalName ?? "") !== "" && spec.type !== "ExternalName") warnings.push(`spec.externalName is ignored when spec.type is not "ExternalName"`);
  if (spec.trafficDistribution === "PreferClose") warnings.push(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`);
  return warnings;
}

function oldClass(annotations: Readonly<Record<string, string>> | undefined): string[] {
  return annotations?.[OLD_CLASS] === undefined ? [] : [`metadata.annotations[${OLD_CLASS}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}

/** What tells the warnings of a kind; undefined where it has none. */
export function warningsFor(group: string, resource: string): ((object: ApiObject, old: ApiObject | undefined) => string[]) | undefined {
  const key = `${group}/${resource}`;
  return Object.hasOwn(table, key) ? (table[key] as (object: ApiObject, old: ApiObject | undefined) => string[]) : undefined;
}
