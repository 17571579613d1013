import type * as core from "../../../../kinds/core/v1.js";
import type { StructHooks } from "../../shared/walk-structs.js";
import { pullPolicyOf } from "./image-names.js";
import { podResourceDefaults } from "./pod-resources.js";

/** Defaults of pods and their structs, which pod templates share. */
export const podDefaults: StructHooks = {
  "io.k8s.api.core.v1.FileKeySelector": (selector: core.FileKeySelector) => {
    selector.optional ??= false;
  },
  "io.k8s.api.core.v1.AzureDiskVolumeSource": (disk: core.AzureDiskVolumeSource) => {
    disk.readOnly ??= false;
  },
  "io.k8s.api.core.v1.Pod": pod,
  "io.k8s.api.core.v1.PodTemplateSpec": dropLegacyAnnotations,
  "io.k8s.api.core.v1.PodSpec": podSpec,
  "io.k8s.api.core.v1.Container": container,
  "io.k8s.api.core.v1.EphemeralContainer": container,
  "io.k8s.api.core.v1.Volume": volume,
  "io.k8s.api.core.v1.Probe": (probe: core.Probe) => {
    probe.timeoutSeconds ||= 1;
    probe.periodSeconds ||= 10;
    probe.successThreshold ||= 1;
    probe.failureThreshold ||= 3;
  },
  "io.k8s.api.core.v1.HTTPGetAction": (action: core.HTTPGetAction) => {
    action.path ||= "/";
    action.scheme ||= "HTTP";
  },
  "io.k8s.api.core.v1.GRPCAction": (action: { service?: string | undefined }) => {
    action.service ??= "";
  },
  "io.k8s.api.core.v1.SecretVolumeSource": mode,
  "io.k8s.api.core.v1.ConfigMapVolumeSource": mode,
  "io.k8s.api.core.v1.DownwardAPIVolumeSource": mode,
  "io.k8s.api.core.v1.ProjectedVolumeSource": mode,
  "io.k8s.api.core.v1.ServiceAccountTokenProjection": (projection: { expirationSeconds?: number | undefined }) => {
    projection.expirationSeconds ??= 3600;
  },
  "io.k8s.api.core.v1.HostPathVolumeSource": (source: core.HostPathVolumeSource) => {
    source.type ??= "" as never;
  },
  "io.k8s.api.core.v1.ObjectFieldSelector": (selector: core.ObjectFieldSelector) => {
    selector.apiVersion ||= "v1";
  },
  // `podIP` is the first of `podIPs`; if both are given, `podIP` wins.
  "io.k8s.api.core.v1.PodStatus": (status: core.PodStatus) => {
    if (status.podIP !== undefined && status.podIPs?.[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
    else if (status.podIP === undefined && status.podIPs?.[0] !== undefined) status.podIP = status.podIPs[0].ip;
  },
};

function mode(source: { defaultMode?: number | undefined }): void {
  source.defaultMode ??= 0o644;
}

const legacyAnnotations = ["beta", "alpha"].flatMap((stage) => [
  `pod.${stage}.kubernetes.io/init-containers`,
  `pod.${stage}.kubernetes.io/init-container-statuses`,
]);

/** Drops the annotations that held init containers before the spec had a field for them. */
function dropLegacyAnnotations({ metadata }: core.Pod | core.PodTemplateSpec): void {
  const { annotations } = metadata ?? {};
  if (annotations !== undefined) for (const key of legacyAnnotations) Reflect.deleteProperty(annotations, key);
}

function pod(object: core.Pod): void {
  dropLegacyAnnotations(object);
  const spec = (object.spec ??= { containers: [] });
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  for (const each of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { limits } = each.resources ?? {};
    if (limits !== undefined) (each.resources ??= {}).requests = { ...limits, ...each.resources.requests };
    if (spec.hostNetwork === true) for (const port of each.ports ?? []) port.hostPort ||= port.containerPort;
  }
  podResourceDefaults(spec);
  spec.enableServiceLinks ??= true;
}

function podSpec(spec: core.PodSpec): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= "default-scheduler";
  // `serviceAccount` is the deprecated name of `serviceAccountName`.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) spec.serviceAccountName = spec.serviceAccount = account;
}

function container(each: core.Container | core.EphemeralContainer): void {
  each.imagePullPolicy ??= pullPolicyOf(each.image ?? "");
  each.terminationMessagePath ??= "/dev/termination-log";
  each.terminationMessagePolicy ??= "File";
  for (const port of each.ports ?? []) port.protocol ??= "TCP";
}

function volume(object: core.Volume): void {
  if (Object.keys(object).every((key) => key === "name")) object.emptyDir = {};
  if (object.image !== undefined) object.image.pullPolicy ??= pullPolicyOf(object.image.reference ?? "");
}
