import { ClusterRole, type PolicyRule } from "../../../../src/kinds/rbac/v1.js";
import { act, type Scenario } from "../scenario.js";

type Step = Scenario["steps"][number];

const rule = (resource: string, ...verbs: string[]): PolicyRule => ({
  apiGroups: [""],
  resources: [resource],
  verbs,
});
const role = (name: string, part: string | undefined, rules: PolicyRule[]): Step =>
  act(`create the role ${name}`, ({ client, namespace }) =>
    client.resource(ClusterRole).create({
      metadata: {
        name: `${name}-${namespace}`,
        labels: { scenario: namespace, ...(part !== undefined && { [`part-of-${part}`]: namespace }) },
      },
      rules,
    }),
  );
const change = (name: string, title: string, fields: object): Step =>
  act(title, ({ client, namespace }) =>
    client.resource(ClusterRole).patch(`${name}-${namespace}`, { type: "merge", patch: fields }),
  );

/** ClusterRoles that collect the rules of others. */
export const clusterRoles: readonly Scenario[] = [
  {
    name: "aggregation",
    steps: [
      role("b", "sum", [rule("pods", "get"), rule("secrets", "get")]),
      act("create the role that collects", ({ client, namespace }) =>
        client.resource(ClusterRole).create({
          metadata: { name: `sum-${namespace}`, labels: { scenario: namespace } },
          aggregationRule: {
            clusterRoleSelectors: [
              { matchLabels: { "part-of-sum": namespace } },
              { matchLabels: { "part-of-other": namespace } },
            ],
          },
          rules: [],
        }),
      ),
      role("a", "sum", [rule("pods", "get"), rule("services", "list")]),
      role("c", "other", [rule("nodes", "watch")]),
      role("a0", "other", [rule("configmaps", "get")]),
      change("sum", "write a rule by hand", { rules: [rule("events", "get")] }),
      change("b", "take a label away", { metadata: { labels: { "part-of-sum": null } } }),
      act("delete a role", ({ client, namespace }) => client.resource(ClusterRole).delete(`a-${namespace}`)),
      act("collect an aggregated role", async ({ client, namespace }) => {
        await client.resource(ClusterRole).create({
          metadata: { name: `top-${namespace}`, labels: { scenario: namespace } },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "part-of-top": namespace } }] },
          rules: [],
        });
        await client
          .resource(ClusterRole)
          .patch(`sum-${namespace}`, { type: "merge", patch: { metadata: { labels: { "part-of-top": namespace } } } });
      }),
    ],
  },
];
