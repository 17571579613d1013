import type { Namespace, Node } from "../../../kinds/core/v1.js";
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
};
