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
  roles.store.addIndex("aggregates", ({ aggregationRule }) => (aggregationRule === undefined ? [] : [""]));
  return createController({
    name: "clusterrole-aggregation",
    for: client.resource(ClusterRole),
    predicates: [({ object }) => object.aggregationRule !== undefined],
    watches: [
      kindSource(
        client.resource(ClusterRole),
        enqueueMapped(({ metadata }) =>
          roles.store
            .byIndex("aggregates", "")
            .filter((role) => selects(role, metadata?.labels))
            .map((role) => ({ name: role.metadata!.name! })),
        ),
      ),
    ],
    clock,
    log,
    async reconcile({ name }, { object: role, signal }) {
      if (role?.aggregationRule === undefined) return;
      const rules = aggregate(role, roles.store.list(), new Map());
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

/**
 * Returns the rules of the roles that a role selects, each once, in the order of its selectors and of their names. A selected role that aggregates others counts with the
 * rules that it will have, so that a chain of roles is complete after one write for each. In a cycle, it counts with
 * its current rules.
 */
function aggregate(
  role: DeepReadonly<ClusterRole>,
  all: readonly DeepReadonly<ClusterRole>[],
  known: Map<string, readonly DeepReadonly<PolicyRule>[]>,
): readonly DeepReadonly<PolicyRule>[] {
  const name = role.metadata!.name!;
  const found = known.get(name);
  if (found !== undefined) return found;
  known.set(name, role.rules ?? []);
  const others = all
    .filter(({ metadata }) => metadata?.name !== name)
    .sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1));
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const sources = selectors.flatMap((selector) =>
    others.filter(({ metadata }) => matchesLabelSelector(selector, metadata?.labels)),
  );
  const rules = new Map<string, DeepReadonly<PolicyRule>>();
  for (const source of sources)
    for (const rule of source.aggregationRule === undefined ? (source.rules ?? []) : aggregate(source, all, known)) {
      const key = ruleKey(rule);
      if (!rules.has(key)) rules.set(key, rule);
    }
  const result = [...rules.values()];
  known.set(name, result);
  return result;
}

/** Returns a text that is the same for equal rules: a missing list equals an empty one. */
function ruleKey({ apiGroups, nonResourceURLs, resourceNames, resources, verbs }: DeepReadonly<PolicyRule>): string {
  return JSON.stringify([apiGroups, nonResourceURLs, resourceNames, resources, verbs].map((list) => list ?? []));
}
