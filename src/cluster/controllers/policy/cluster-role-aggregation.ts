import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { ClusterRole, type PolicyRule } from "../../../kinds/rbac/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { matchesLabelSelector } from "../../../objects/label-selectors.js";
import type { ClusterContext } from "../context.js";

/**
 * Creates the controller that fills ClusterRoles with an aggregation rule with the rules of the roles that they select.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export function createClusterRoleAggregation(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const roles = context.cache(ClusterRole);
  return createController({
    name: "clusterrole-aggregation",
    for: client.resource(ClusterRole),
    predicates: [({ object }) => object.aggregationRule !== undefined],
    watches: [
      kindSource(
        client.resource(ClusterRole),
        enqueueMapped(({ metadata }) =>
          roles.store
            .list()
            .filter((role) => selects(role, metadata?.labels))
            .map((role) => ({ name: role.metadata!.name! })),
        ),
      ),
    ],
    clock,
    log,
    async reconcile({ name }, { object: role, signal }) {
      if (role?.aggregationRule === undefined) return;
      const sources = roles.store
        .list()
        .filter(({ metadata }) => metadata?.name !== name && selects(role, metadata?.labels))
        .sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1));
      const rules: DeepReadonly<PolicyRule>[] = [];
      for (const rule of sources.flatMap((source) => source.rules ?? []))
        if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
      if (deepEqual(rules, role.rules ?? [])) return;
      await client
        .resource(ClusterRole)
        .apply(
          { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name }, rules },
          { fieldManager: "clusterrole-aggregation-controller", force: true, signal },
        );
    },
  });
}

function selects(
  { aggregationRule }: DeepReadonly<ClusterRole>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return aggregationRule?.clusterRoleSelectors?.some((selector) => matchesLabelSelector(selector, labels)) === true;
}
