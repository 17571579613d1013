import type {
  AzureDiskVolumeSource,
  Container,
  EphemeralContainer,
  FileKeySelector,
  HostPathVolumeSource,
  HTTPGetAction,
  Namespace,
  NodeSpec,
  NodeStatus,
  ObjectFieldSelector,
  Pod,
  PodSpec,
  PodStatus,
  Probe,
  ReplicationController,
  Service,
  Volume,
} from "../../../kinds/core/v1.js";
import { givenEmptyFields } from "../../objects/given-empty.js";
import { pullPolicyOf } from "../core/pod/image-names.js";
import { podResourceDefaults } from "../core/pod/pod-resources.js";
import type { StructHooks } from "../shared/walk-structs.js";

/** Defaults of the core group's structs. */
export const coreDefaults: StructHooks = {
  "io.k8s.api.core.v1.FileKeySelector": (selector: FileKeySelector) => {
    selector.optional ??= false;
  },
  "io.k8s.api.core.v1.AzureDiskVolumeSource": (disk: AzureDiskVolumeSource) => {
    disk.readOnly ??= false;
  },
  "io.k8s.api.core.v1.Pod": pod,
  "io.k8s.api.core.v1.PodSpec": podSpec,
  "io.k8s.api.core.v1.Container": container,
  "io.k8s.api.core.v1.EphemeralContainer": container,
  "io.k8s.api.core.v1.Volume": volume,
  "io.k8s.api.core.v1.Probe": (probe: Probe) => {
    probe.timeoutSeconds ||= 1;
    probe.periodSeconds ||= 10;
    probe.successThreshold ||= 1;
    probe.failureThreshold ||= 3;
  },
  "io.k8s.api.core.v1.HTTPGetAction": (action: HTTPGetAction) => {
    action.path ||= "/";
    action.scheme ||= "HTTP";
  },
  "io.k8s.api.core.v1.GRPCAction": (action: { service?: string }) => {
    action.service ??= "";
  },
  "io.k8s.api.core.v1.SecretVolumeSource": mode,
  "io.k8s.api.core.v1.ConfigMapVolumeSource": mode,
  "io.k8s.api.core.v1.DownwardAPIVolumeSource": mode,
  "io.k8s.api.core.v1.ProjectedVolumeSource": mode,
  "io.k8s.api.core.v1.ServiceAccountTokenProjection": (projection: { expirationSeconds?: number }) => {
    projection.expirationSeconds ??= 3600;
  },
  "io.k8s.api.core.v1.HostPathVolumeSource": (source: HostPathVolumeSource) => {
    source.type ??= "" as never;
  },
  "io.k8s.api.core.v1.ObjectFieldSelector": (selector: ObjectFieldSelector) => {
    selector.apiVersion ||= "v1";
  },
  "io.k8s.api.core.v1.Service": service,
  "io.k8s.api.core.v1.EndpointPort": (port: { protocol?: string }) => {
    port.protocol ||= "TCP";
  },
  "io.k8s.api.core.v1.Namespace": (namespace: Namespace) => {
    const name = namespace.metadata?.name;
    if (name !== undefined && name !== "")
      ((namespace.metadata ??= {}).labels ??= {})["kubernetes.io/metadata.name"] = name;
    (namespace.status ??= {}).phase ??= "Active";
  },
  // The single fields of old are kept in step with the lists that took their place; the single one wins.
  "io.k8s.api.core.v1.NodeSpec": (spec: NodeSpec) => {
    if (spec.podCIDR !== undefined && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    else if (spec.podCIDR === undefined && spec.podCIDRs?.[0] !== undefined) spec.podCIDR = spec.podCIDRs[0];
  },
  "io.k8s.api.core.v1.PodStatus": (status: PodStatus) => {
    if (status.podIP !== undefined && status.podIPs?.[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
    else if (status.podIP === undefined && status.podIPs?.[0] !== undefined) status.podIP = status.podIPs[0].ip;
  },
  "io.k8s.api.core.v1.NodeStatus": (status: NodeStatus) => {
    // What was given as empty is none only once it is stored.
    if (
      status.allocatable === undefined &&
      status.capacity !== undefined &&
      givenEmptyFields(status)?.includes("allocatable") !== true
    )
      status.allocatable = { ...status.capacity };
  },
  "io.k8s.api.core.v1.ReplicationController": (controller: ReplicationController) => {
    const spec = (controller.spec ??= {});
    const labels = spec.template?.metadata?.labels;
    spec.replicas ??= 1;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    const metadata = (controller.metadata ??= {});
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  },
};

function mode(source: { defaultMode?: number }): void {
  source.defaultMode ??= 0o644;
}

function pod(object: Pod): void {
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

function podSpec(spec: PodSpec): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= "default-scheduler";
  // The deprecated name of the field is kept in step with the present one.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) spec.serviceAccountName = spec.serviceAccount = account;
}

function container(each: Container | EphemeralContainer): void {
  each.imagePullPolicy ??= pullPolicyOf(each.image ?? "");
  each.terminationMessagePath ??= "/dev/termination-log";
  each.terminationMessagePolicy ??= "File";
  for (const port of each.ports ?? []) port.protocol ??= "TCP";
}

function volume(object: Volume): void {
  if (Object.keys(object).every((key) => key === "name")) object.emptyDir = {};
  if (object.image !== undefined) object.image.pullPolicy ??= pullPolicyOf(object.image.reference ?? "");
}

function service(object: Service): void {
  const spec = (object.spec ??= {});
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  else if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  spec.type ??= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ??= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  const external =
    spec.type === "LoadBalancer" ||
    spec.type === "NodePort" ||
    (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0);
  if (external) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of object.status?.loadBalancer?.ingress ?? [])
    if ((ingress.ip ?? "") !== "") ingress.ipMode ??= "VIP";
}
