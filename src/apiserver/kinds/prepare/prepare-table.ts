import type { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { Namespace, Node } from "../../../kinds/core/v1.js";
import type { EndpointSlice } from "../../../kinds/discovery/v1.js";
import { formatTime } from "../../objects/metadata.js";
import { podGracePeriodSeconds, preparePod, preparePodUpdate } from "../core/pod/prepare-pod.js";
import { prepareService, prepareServiceUpdate } from "../core/service/prepare-service.js";
import type { StrategyContext } from "../strategy.js";

/** The hooks of one kind; the parameters' types are the table's business. */
export interface Preparation {
  /** Before a create is validated. */
  readonly create?: (object: never, context: StrategyContext) => void;
  /** Before an update is validated. */
  readonly update?: (object: never, old: never, context: StrategyContext) => void;
  /** Before it is stored: fills in what a read fills in. */
  readonly stored?: (object: never) => void;
  /** Seconds that a deletion gives. */
  readonly gracePeriodSeconds?: (object: never, asked: number | undefined) => number;
  /** Marks an object that is to be deleted, where the kind decides that itself. */
  readonly beginDelete?: (
    object: never,
    nowMs: number,
    propagation: "Orphan" | "Background" | "Foreground" | undefined,
  ) => "proceed" | "store" | "unchanged";
  /** Whether a terminating object may go. */
  readonly finalized?: (object: never) => boolean;
}

function dropStatus(object: object): void {
  Reflect.deleteProperty(object, "status");
}

const statusDropped: Preparation = { create: dropStatus };

function finalizer(object: { metadata?: { finalizers?: string[] } }, name: string): void {
  const metadata = (object.metadata ??= {});
  if (metadata.finalizers?.includes(name) !== true) metadata.finalizers = [...(metadata.finalizers ?? []), name];
}

/** What a server changes in new and changed objects, by resource. */
export const preparations: Readonly<Record<string, Preparation>> = {
  "/pods": { create: preparePod, update: preparePodUpdate, gracePeriodSeconds: podGracePeriodSeconds },
  "/namespaces": {
    create: (namespace: Namespace) => {
      namespace.status = { phase: "Active" };
      const finalizers = namespace.spec?.finalizers ?? [];
      if (!finalizers.includes("kubernetes"))
        namespace.spec = { ...namespace.spec, finalizers: [...finalizers, "kubernetes"] };
      const name = namespace.metadata?.name ?? "";
      if (name !== "") ((namespace.metadata ??= {}).labels ??= {})["kubernetes.io/metadata.name"] = name;
    },
    update: (namespace: Namespace, old: Namespace) => {
      if (old.spec?.finalizers !== undefined) namespace.spec = { ...namespace.spec, finalizers: old.spec.finalizers };
    },
    beginDelete: (namespace: Namespace, nowMs: number, propagation) => {
      const metadata = (namespace.metadata ??= {});
      if (metadata.deletionTimestamp === undefined) {
        metadata.deletionTimestamp = formatTime(nowMs);
        namespace.status = { ...namespace.status, phase: "Terminating" };
        if (propagation === undefined) return "store";
        const kept = (metadata.finalizers ?? []).filter((name) => name !== "orphan" && name !== "foregroundDeletion");
        if (propagation !== "Background") kept.push(propagation === "Orphan" ? "orphan" : "foregroundDeletion");
        if (kept.length > 0) metadata.finalizers = kept;
        else delete metadata.finalizers;
        return "store";
      }
      return (namespace.spec?.finalizers ?? []).length === 0 ? "proceed" : "unchanged";
    },
    finalized: (namespace: Namespace) => (namespace.spec?.finalizers ?? []).length === 0,
  },
  "/nodes": {
    create: (node: Node) => {
      const spec = (node.spec ??= {});
      const key = "node.kubernetes.io/not-ready";
      if (spec.taints?.some((taint) => taint.key === key && taint.effect === "NoSchedule") !== true)
        spec.taints = [...(spec.taints ?? []), { key, effect: "NoSchedule" }];
    },
    stored: ({ status }: Node) => {
      if (status?.capacity !== undefined) status.allocatable ??= { ...status.capacity };
    },
  },
  "/services": { create: prepareService, update: prepareServiceUpdate },
  "/replicationcontrollers": statusDropped,
  "discovery.k8s.io/endpointslices": { create: dropTopology, update: dropTopology },
  "policy/poddisruptionbudgets": statusDropped,
  "networking.k8s.io/ingresses": statusDropped,
  "networking.k8s.io/servicecidrs": {
    create: (cidr: { status?: unknown; metadata?: { finalizers?: string[] } }) => {
      dropStatus(cidr);
    },
  },
  "storage.k8s.io/volumeattachments": {
    create: (attachment: { status?: unknown }) => {
      attachment.status = { attached: false };
    },
  },
  "storage.k8s.io/volumeattributesclasses": {
    create: (each: { metadata?: { finalizers?: string[] } }) => {
      finalizer(each, "kubernetes.io/vac-protection");
    },
  },
  "flowcontrol.apiserver.k8s.io/flowschemas": statusDropped,
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": statusDropped,
  "admissionregistration.k8s.io/validatingadmissionpolicies": statusDropped,
  "apiregistration.k8s.io/apiservices": {
    create: (service: { status?: unknown; spec?: { service?: unknown } }, { nowMs }: StrategyContext) => {
      dropStatus(service);
      // What this server has itself is there at once.
      if (service.spec !== undefined && service.spec.service === undefined)
        service.status = { conditions: [localCondition(nowMs)] };
    },
  },
  "resource.k8s.io/resourceclaims": statusDropped,
  "resource.k8s.io/devicetaintrules": {
    create: dropStatus,
    // The time tells since when the taint has its effect.
    update: ({ spec }: TaintRule, old: TaintRule, { nowMs }: StrategyContext) => {
      const before = old.spec?.taint;
      if (
        spec?.taint !== undefined &&
        spec.taint.effect !== before?.effect &&
        spec.taint.timeAdded === before?.timeAdded
      )
        spec.taint.timeAdded = formatTime(nowMs);
    },
  },
  "internal.apiserver.k8s.io/storageversions": statusDropped,
  "certificates.k8s.io/certificatesigningrequests": {
    create: (request: CertificateSigningRequest, { user }: StrategyContext) => {
      request.status = {};
      const { spec } = request;
      delete spec.uid;
      delete spec.extra;
      spec.username = user?.name ?? "";
      spec.groups = [...(user?.groups ?? [])];
      if ((user?.uid ?? "") !== "") spec.uid = user?.uid ?? "";
      const extra = Object.entries(user?.extra ?? {});
      if (extra.length > 0) spec.extra = Object.fromEntries(extra.map(([key, values]) => [key, [...values]]));
    },
    update: (request: CertificateSigningRequest, old: CertificateSigningRequest) => {
      request.spec = old.spec;
    },
  },
};

function localCondition(nowMs: number): unknown {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(nowMs),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

/** A taint of a device, with the time since which it is there. */
interface Taint {
  effect?: string;
  timeAdded?: string;
}

interface TaintRule {
  status?: unknown;
  spec?: { taint?: Taint };
}

/** Topology of end points is of a version that is no more. */
function dropTopology({ endpoints }: EndpointSlice): void {
  for (const endpoint of (endpoints as EndpointSlice["endpoints"] | null) ?? []) delete endpoint.deprecatedTopology;
}
