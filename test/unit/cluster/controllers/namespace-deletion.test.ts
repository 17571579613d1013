import { expect, it } from "vitest";
import { defaultControllers } from "../../../../src/cluster/all-controllers.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../../src/kinds/admissionregistration/v1.js";
import { APIService } from "../../../../src/kinds/apiregistration/v1.js";
import { ConfigMap, Namespace, Pod } from "../../../../src/kinds/core/v1.js";

it("a deleted namespace stays until its pods have ended gracefully, and so do its other objects", async () => {
  await using cluster = await createCluster({
    nodes: 1,
    time: "virtual",
    seed: 1,
    images: { "slow:*": { run: () => new Promise<number>(() => undefined) } },
  });
  const { client } = cluster;
  const namespaces = client.resource(Namespace);
  const pods = client.resource(Pod).namespace("web");
  const maps = client.resource(ConfigMap).namespace("web");
  await namespaces.create({ metadata: { name: "web" } });
  await maps.create({ metadata: { name: "config" } });
  const spec = { terminationGracePeriodSeconds: 10, containers: [{ name: "main", image: "slow:1" }] };
  await pods.create({ metadata: { name: "web" }, spec });
  await cluster.settled();
  await namespaces.delete("web");
  await cluster.advance("9s");
  expect((await pods.get("web")).metadata?.deletionGracePeriodSeconds).toBe(10);
  expect(await maps.getOptional("config")).toBeDefined();
  await cluster.advance("2s");
  expect(await namespaces.getOptional("web")).toBeUndefined();
});

const controllers = [
  ["of the server", {}],
  ["of the cluster", { controllers: [...defaultControllers, "namespace"] }],
] as const;

it.each(controllers)("the controller %s keeps a namespace while it can't read an API", async (_, options) => {
  await using cluster = await createCluster({ time: "virtual", seed: 1, ...options });
  const { client } = cluster;
  const apis = client.resource(APIService);
  const service = { name: "none", namespace: "default" };
  const priorities = { groupPriorityMinimum: 1_000, versionPriority: 10 };
  await apis.create({
    metadata: { name: "v1.dead.example.com" },
    spec: { group: "dead.example.com", version: "v1", insecureSkipTLSVerify: true, service, ...priorities },
  });
  await cluster.advance("10s");
  const namespaces = client.resource(Namespace);
  await namespaces.create({ metadata: { name: "web" } });
  await cluster.settled();
  await namespaces.delete("web");
  await cluster.advance("10s");
  const { status } = await namespaces.get("web");
  expect(status?.conditions?.filter((each) => each.status === "True")).toMatchObject([
    {
      type: "NamespaceDeletionDiscoveryFailure",
      reason: "DiscoveryFailed",
      message:
        "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: dead.example.com/v1: stale GroupVersion discovery: dead.example.com/v1",
    },
  ]);
  expect((await client.resource(ConfigMap).namespace("web").list()).items).toEqual([]);
  await apis.delete("v1.dead.example.com");
  await cluster.advance("1m");
  expect(await namespaces.getOptional("web")).toBeUndefined();
});

it.each(controllers)("the controller %s reports what keeps it from emptying a namespace", async (_, options) => {
  await using cluster = await createCluster({ time: "virtual", seed: 1, ...options });
  const { client } = cluster;
  const bindings = client.resource(ValidatingAdmissionPolicyBinding);
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE" as const], resources: ["configmaps"] };
  await client.resource(ValidatingAdmissionPolicy).create({
    metadata: { name: "keep" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "oldObject.metadata.name != 'kept'" }],
    },
  });
  await bindings.create({ metadata: { name: "keep" }, spec: { policyName: "keep", validationActions: ["Deny"] } });
  const namespaces = client.resource(Namespace);
  await namespaces.create({ metadata: { name: "web" } });
  await client
    .resource(ConfigMap)
    .namespace("web")
    .create({ metadata: { name: "kept" } });
  await cluster.advance("10s");
  await namespaces.delete("web");
  await cluster.advance("10s");
  const { status } = await namespaces.get("web");
  expect(status?.conditions?.filter((each) => each.status === "True")).toMatchObject([
    {
      type: "NamespaceDeletionContentFailure",
      reason: "ContentDeletionFailed",
      message: expect.stringMatching(/^Failed to delete all resource types, 1 remaining: .*'keep'.* denied request/),
    },
  ]);
  await bindings.delete("keep");
  await cluster.advance("10m");
  expect(await namespaces.getOptional("web")).toBeUndefined();
});
