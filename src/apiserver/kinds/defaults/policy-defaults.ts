import type { StructHooks } from "../shared/walk-structs.js";

const RBAC = "rbac.authorization.k8s.io";

function roleRef(binding: { roleRef?: { apiGroup?: string } }): void {
  if (binding.roleRef !== undefined) binding.roleRef.apiGroup ||= RBAC;
}

function shares(most: number): (limits: { nominalConcurrencyShares?: number; lendablePercent?: number }) => void {
  return (limits) => {
    limits.nominalConcurrencyShares ??= most;
    limits.lendablePercent ??= 0;
  };
}

/** Defaults of RBAC, scheduling and API Priority and Fairness. */
export const policyDefaults: StructHooks = {
  "io.k8s.api.rbac.v1.RoleBinding": roleRef,
  "io.k8s.api.rbac.v1.ClusterRoleBinding": roleRef,
  "io.k8s.api.rbac.v1.Subject": (subject: { kind: string; apiGroup?: string }) => {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= RBAC;
  },
  "io.k8s.api.scheduling.v1.PriorityClass": (priorityClass: { preemptionPolicy?: string }) => {
    priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
  },
  "io.k8s.api.flowcontrol.v1.FlowSchemaSpec": (spec: { matchingPrecedence?: number }) => {
    spec.matchingPrecedence ||= 1000;
  },
  "io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration": shares(0),
  "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": shares(30),
  "io.k8s.api.flowcontrol.v1.QueuingConfiguration": (queuing: {
    handSize?: number;
    queues?: number;
    queueLengthLimit?: number;
  }) => {
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
};
