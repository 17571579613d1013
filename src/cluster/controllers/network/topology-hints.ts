import type { Change } from "../../../cache/store/change.js";
import type { StoreReader } from "../../../cache/store/store.js";
import type { EventRecorder } from "../../../controller/events/event-recorder.js";
import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import type { Node, Service } from "../../../kinds/core/v1.js";
import type { EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { SlicePlan } from "./plan-slices.js";
import { planHints } from "./zone-hints.js";
import { isOverloaded, type Zones, zoneShares } from "./zone-shares.js";

/** Returns true if the zones that endpoints serve follow from the CPU time of the zones. */
export function usesTopologyHints({ metadata }: DeepReadonly<Service>): boolean {
  const { annotations = {} } = metadata ?? {};
  const mode =
    annotations["service.kubernetes.io/topology-aware-hints"] ?? annotations["service.kubernetes.io/topology-mode"];
  return mode === "Auto" || mode === "auto";
}

/** Returns true if a change of a node may change the shares of the zones. */
export function changesZones(change: Change<Node>): boolean {
  return change.type !== "updated" || zoneAndReadiness(change.object) !== zoneAndReadiness(change.old);
}

function zoneAndReadiness({ metadata, status }: DeepReadonly<Node>): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return `${String(ready)} ${metadata?.labels?.["topology.kubernetes.io/zone"] ?? ""}`;
}

/**
 * Hints of the Services with the annotation `service.kubernetes.io/topology-mode`.
 * @see https://kubernetes.io/docs/concepts/services-networking/topology-aware-routing/
 */
export class TopologyHints {
  readonly #nodes: StoreReader<Node>;
  readonly #events: EventRecorder;
  /** Number of endpoints that serve each zone, by Service and kind of address. */
  readonly #served = new Map<string, { readonly request: ReconcileRequest; readonly families: Map<string, Zones> }>();

  constructor(nodes: StoreReader<Node>, events: EventRecorder) {
    this.#nodes = nodes;
    this.#events = events;
  }

  /** Adds the hints to a plan for the addresses of a kind, if the Service wants them. Records if they come or go. */
  plan(service: DeepReadonly<Service>, addressType: EndpointSlice["addressType"], plan: SlicePlan): SlicePlan {
    const { namespace = "", name = "" } = service.metadata ?? {};
    const key = `${namespace}/${name}`;
    const known = this.#served.get(key);
    const record = (type: "Normal" | "Warning", message: string): void => {
      const reason = type === "Normal" ? "TopologyAwareHintsEnabled" : "TopologyAwareHintsDisabled";
      this.#events.event(service, { type, reason, note: `${message}, addressType: ${addressType}` });
    };
    if (!usesTopologyHints(service)) {
      if (this.#served.delete(key)) record("Warning", "Topology Aware Hints has been disabled");
      return plan;
    }
    const hinted = planHints(plan, zoneShares(this.#nodes.list()));
    if ("problem" in hinted) {
      this.#served.delete(key);
      record("Warning", hinted.problem);
    } else if (known === undefined) {
      const families = new Map([[addressType, hinted.served]]);
      this.#served.set(key, { request: { namespace, name }, families });
      record("Normal", "Topology Aware Hints has been enabled");
    } else known.families.set(addressType, hinted.served);
    return hinted.plan;
  }

  /** Returns the Services with too few endpoints for a zone, after nodes have changed. */
  overloadedServices(): ReconcileRequest[] {
    if (this.#served.size === 0) return [];
    const shares = zoneShares(this.#nodes.list());
    return [...this.#served.values()]
      .filter(({ families }) => [...families.values()].some((served) => isOverloaded(served, shares)))
      .map(({ request }) => request);
  }

  /** Forgets a Service that has no endpoints any more. */
  forget({ namespace, name }: ReconcileRequest): void {
    this.#served.delete(`${namespace ?? ""}/${name}`);
  }
}
