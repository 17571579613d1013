import { expect, it } from "vitest";
import { createInformer } from "../../../../../src/cache/informer/create-informer.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { ClusterRole } from "../../../../../src/kinds/rbac/v1.js";

it("an aggregated ClusterRole has the rules of the roles that it selects, each once, and follows their changes", async () => {
  await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
  const roles = cluster.client.resource(ClusterRole);
  const labels = { aggregate: "monitoring" };
  const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });
  const resources = async (): Promise<string[]> => {
    await cluster.settled();
    return ((await roles.get("monitoring")).rules ?? []).flatMap(({ resources: names = [] }) => names);
  };
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
  await roles.create({ metadata: { name: "monitoring" }, aggregationRule, rules: [] });
  await roles.create({ metadata: { name: "b", labels }, rules: [rule("pods"), rule("services")] });
  await roles.create({ metadata: { name: "a", labels }, rules: [rule("nodes"), rule("pods")] });
  await roles.create({ metadata: { name: "other" }, rules: [rule("secrets")] });
  expect(await resources()).toEqual(["nodes", "pods", "services"]);
  const clusterRoleSelectors = [{ matchLabels: { first: "true" } }, { matchLabels: labels }];
  await roles.patch("b", { type: "merge", patch: { metadata: { labels: { first: "true" } } } });
  await roles.patch("monitoring", { type: "merge", patch: { aggregationRule: { clusterRoleSelectors } } });
  expect(await resources()).toEqual(["pods", "services", "nodes"]);
  await roles.delete("a");
  expect(await resources()).toEqual(["pods", "services"]);
  await roles.patch("monitoring", { type: "merge", patch: { aggregationRule } });
  await roles.patch("b", { type: "merge", patch: { metadata: { labels: { aggregate: null } } } });
  expect(await resources()).toEqual([]);
});

it("a chain of aggregated ClusterRoles is complete after one write for each", async () => {
  await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
  const roles = cluster.client.resource(ClusterRole);
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const selecting = (level: string) => ({ clusterRoleSelectors: [{ matchLabels: { level } }] });
  cluster.controllers.pause("clusterrole-aggregation");
  await roles.create({ metadata: { name: "outer" }, aggregationRule: selecting("outer"), rules: [] });
  await roles.create({
    metadata: { name: "inner", labels: { level: "outer" } },
    aggregationRule: selecting("inner"),
    rules: [],
  });
  await roles.create({ metadata: { name: "a", labels: { level: "inner" } }, rules });
  await roles.create({
    metadata: { name: "b", labels: { level: "outer" } },
    rules: [{ ...rules[0]!, verbs: ["list"] }],
  });
  await using informer = createInformer(roles);
  const written: string[] = [];
  await informer.synced();
  informer.addHandler(({ key }) => written.push(key), { replay: false });
  cluster.controllers.resume("clusterrole-aggregation");
  await cluster.settled();
  expect(written.sort()).toEqual(["inner", "outer"]);
  expect((await roles.get("outer")).rules?.flatMap(({ verbs }) => verbs)).toEqual(["list", "get"]);
});
