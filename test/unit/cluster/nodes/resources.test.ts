import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { type Container, Event, Node, Pod } from "../../../../src/kinds/core/v1.js";

async function start() {
  const capacity = { cpu: "4", memory: "8Gi", pods: "3" };
  const nodes = [{ name: "node-1", capacity }];
  const cluster = await createCluster({ nodes, time: "virtual", seed: 1, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  const create = async (name: string, cpu: string, more: object = {}, container: Partial<Container> = {}) => {
    const containers = [{ name: "main", image: "web:1", resources: { requests: { cpu } }, ...container }];
    await pods.create({ metadata: { name }, spec: { containers, ...more } });
    await cluster.settled();
  };
  const resize = async (name: string, cpu: string): Promise<void> => {
    const containers = [{ name: "main", resources: { requests: { cpu } } }];
    await pods.subresource("resize").patch(name, { type: "strategic", patch: { spec: { containers } } });
    await cluster.settled();
  };
  /** Describes CPU and resize of a pod: allocated, in use, restarts, conditions. */
  const describePod = async (name: string): Promise<string> => {
    const { status } = await pods.get(name);
    const { allocatedResources, resources, restartCount } = status!.containerStatuses![0]!;
    const resizing = status!.conditions!.filter(({ type }) => type.startsWith("PodResize"));
    const conditions = resizing.map(({ type, reason = "" }) => `${type} ${reason}`.trim());
    return [allocatedResources?.["cpu"], resources?.requests?.["cpu"], restartCount, ...conditions].join(", ");
  };
  return { cluster, pods, create, resize, describePod };
}

async function notes(cluster: Cluster, reason: string): Promise<string[]> {
  const { items } = await cluster.client.resource(Event).list();
  return items.filter((event) => event.reason === reason).map(({ message = "" }) => message);
}

describe("resources of a pod on a simulated node", () => {
  it("are resized in place: first allocated, then in use", async () => {
    const { cluster, create, resize, describePod } = await start();
    await using _ = cluster;
    await create("web", "1");
    expect(await describePod("web")).toBe("1, 1, 0");
    await resize("web", "3");
    expect(await describePod("web")).toBe("3, 1, 0, PodResizeInProgress");
    await cluster.advance("1s");
    expect(await describePod("web")).toBe("3, 3, 0");
    const details = '{"containers":[{"name":"main","resources":{"requests":{"cpu":"3"}}}],"generation":2}';
    expect(await notes(cluster, "ResizeStarted")).toEqual([`Pod resize started: ${details}`]);
    expect(await notes(cluster, "ResizeCompleted")).toEqual([`Pod resize completed: ${details}`]);
  });

  it("are resized by a restart of containers if their policy says so", async () => {
    const { cluster, create, resize, describePod } = await start();
    await using _ = cluster;
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" as const }];
    await create("web", "1", { restartPolicy: "OnFailure" }, { resizePolicy });
    await resize("web", "2");
    await cluster.advance("1s");
    expect(await describePod("web")).toBe("2, 2, 1");
    expect(await notes(cluster, "Killing")).toEqual(["Container main resize requires restart"]);
  });

  it("wait for room on the node, and grow when another pod goes", async () => {
    const { cluster, pods, create, resize, describePod } = await start();
    await using _ = cluster;
    await create("web", "1");
    await create("other", "2");
    await resize("web", "3");
    expect(await describePod("web")).toBe("1, 1, 0, PodResizePending Deferred");
    const { status } = await pods.get("web");
    expect(status?.conditions?.find(({ type }) => type === "PodResizePending")?.message).toBe(
      "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
    );
    await pods.delete("other");
    await cluster.advance("2s");
    expect(await describePod("web")).toBe("3, 3, 0");
  });

  it("wait for room until another pod shrinks, or the resize is taken back", async () => {
    const { cluster, create, resize, describePod } = await start();
    await using _ = cluster;
    await create("web", "1");
    await create("other", "2");
    await resize("web", "4");
    await resize("web", "1");
    expect(await describePod("web")).toBe("1, 1, 0");
    await resize("web", "3");
    await resize("other", "1");
    await cluster.advance("2s");
    expect(await describePod("web")).toBe("3, 3, 0");
    expect(await notes(cluster, "ResizeDeferred")).toHaveLength(2);
  });

  it("leave room for a waiting pod once the containers have shrunk", async () => {
    const { cluster, pods, create, resize } = await start();
    await using _ = cluster;
    await create("web", "3");
    await create("second", "2");
    expect((await pods.get("second")).spec?.nodeName).toBeUndefined();
    await resize("web", "1");
    expect((await pods.get("second")).spec?.nodeName).toBeUndefined();
    await cluster.advance("2s");
    expect((await pods.get("second")).status?.phase).toBe("Running");
  });

  it("leave a pod that its node rejects without containers, addresses and conditions", async () => {
    const { cluster, pods, create } = await start();
    await using _ = cluster;
    await create("forced", "5", { nodeName: "node-1" });
    const { status, metadata } = await pods.get("forced");
    expect(status).toEqual({
      phase: "Failed",
      reason: "OutOfcpu",
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
      qosClass: "Burstable",
      startTime: metadata!.creationTimestamp,
      observedGeneration: 1,
    });
    await pods.delete("forced");
    await cluster.settled();
    expect((await pods.list()).items).toEqual([]);
  });

  it.each([
    { title: "CPU", cpu: "5", reason: "OutOfcpu", message: "cpu, requested: 5000, used: 0, capacity: 4000" },
    {
      title: "CPU and memory",
      cpu: "5",
      memory: "9Gi",
      reason: "OutOfcpu",
      message: "cpu, requested: 5000, used: 0, capacity: 4000",
    },
    { title: "pods", cpu: "1", others: 3, reason: "OutOfpods", message: "pods, requested: 1, used: 3, capacity: 3" },
  ])(
    "have to fit on the node: it rejects a pod for lack of $title",
    async ({ cpu, memory = "1Gi", others = 0, reason, message }) => {
      const { cluster, pods, create } = await start();
      await using _ = cluster;
      for (let index = 0; index < others; index++) await create(`web-${String(index)}`, "0");
      await create("forced", cpu, { nodeName: "node-1" }, { resources: { requests: { memory, cpu } } });
      expect((await pods.get("forced")).status).toMatchObject({
        phase: "Failed",
        reason,
        message: `Pod was rejected: Node didn't have enough resource: ${message}`,
      });
      expect(await notes(cluster, reason)).toEqual([`Node didn't have enough resource: ${message}`]);
    },
  );
});

describe("a pod that is bound to a node by its creator", () => {
  const affinity = (key: string): object => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "Exists" }] }],
      },
    },
  });
  const ports = (protocol: string): object => ({ ports: [{ containerPort: 80, hostPort: 8080, protocol }] });
  const wrongNode = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
  const usedPort = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
  it.each<[title: string, spec: object, container: object, reason: string | undefined, message: string | undefined]>([
    ["fails if its node selector doesn't match", { nodeSelector: { disk: "ssd" } }, {}, "NodeAffinity", wrongNode],
    ["fails if its node affinity doesn't match", { affinity: affinity("disk") }, {}, "NodeAffinity", wrongNode],
    ["runs if its node affinity matches", { affinity: affinity("kubernetes.io/os") }, {}, undefined, undefined],
    ["fails if another pod uses its host port", {}, ports("TCP"), "NodePorts", usedPort],
    ["runs if another pod uses its host port with another protocol", {}, ports("UDP"), undefined, undefined],
    [
      "fails if it's for another operating system",
      { os: { name: "windows" } },
      {},
      "PodOSNotSupported",
      "Failed to admit pod as the OS field doesn't match node OS",
    ],
  ])("%s", async (_title, spec, container, reason, message) => {
    const { cluster, pods, create } = await start();
    await using _ = cluster;
    await create("first", "1", {}, ports("TCP"));
    await create("forced", "1", { nodeName: "node-1", ...spec }, container);
    expect((await pods.get("forced")).status).toMatchObject({
      phase: reason === undefined ? "Running" : "Failed",
      ...(reason !== undefined && { reason, message: `Pod was rejected: ${message!}` }),
    });
    if (reason !== undefined) expect(await notes(cluster, reason)).toEqual([message]);
  });

  it("fails if it doesn't tolerate a taint that ends running pods", async () => {
    const { cluster, pods, create } = await start();
    await using _ = cluster;
    const taints = (["NoSchedule", "NoExecute"] as const).map((effect) => ({ key: effect.toLowerCase(), effect }));
    await cluster.client.resource(Node).patch("node-1", { type: "merge", patch: { spec: { taints } } });
    await cluster.settled();
    const tolerations = [{ key: "noexecute", operator: "Exists", tolerationSeconds: 5, effect: "NoExecute" }];
    await create("forced", "1", { nodeName: "node-1" });
    await create("tolerant", "1", { nodeName: "node-1", tolerations });
    const message = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
    expect((await pods.get("forced")).status).toMatchObject({
      phase: "Failed",
      reason: "TaintToleration",
      message: `Pod was rejected: ${message}`,
    });
    expect(await notes(cluster, "TaintToleration")).toEqual([message]);
    expect((await pods.get("tolerant")).status?.phase).toBe("Running");
  });

  it("runs if the pod that used its host port has ended", async () => {
    const { cluster, pods, create } = await start();
    await using _ = cluster;
    await create("first", "1", { restartPolicy: "Never" }, ports("TCP"));
    await cluster.pods({ namespace: "default", name: "first" }).crash({ exitCode: 1 });
    await cluster.settled();
    await create("forced", "1", { nodeName: "node-1" }, ports("TCP"));
    expect((await pods.get("forced")).status?.phase).toBe("Running");
  });
});

describe("image of a running pod", () => {
  it("restarts the container when it changes, whatever the restart policy", async () => {
    const { cluster, pods, create } = await start();
    await using _ = cluster;
    await create("web", "1", { restartPolicy: "Never" });
    const containers = [{ name: "main", image: "web:2" }];
    await pods.patch("web", { type: "strategic", patch: { spec: { containers } } });
    await cluster.advance("2s");
    const { status } = await pods.get("web");
    expect(status).toMatchObject({
      phase: "Running",
      containerStatuses: [{ image: "web:2", restartCount: 1, ready: true }],
    });
    expect(await notes(cluster, "Killing")).toEqual(["Container main definition changed, will be restarted"]);
  });

  it("doesn't restart the container of a pod that is being deleted", async () => {
    const { cluster, pods, create } = await start();
    await using _ = cluster;
    await create("web", "1", {}, { lifecycle: { preStop: { sleep: { seconds: 20 } } } });
    const patch = (image: string) => ({ spec: { containers: [{ name: "main", image }] } });
    await pods.patch("web", { type: "strategic", patch: patch("web:2") });
    await pods.delete("web");
    await pods.patch("web", { type: "strategic", patch: patch("web:3") });
    await cluster.advance("40s");
    expect(await pods.getOptional("web")).toBeUndefined();
  });

  it("ends a failed pull when it's corrected", async () => {
    const pull = (): never => {
      throw new Error("manifest unknown");
    };
    await using cluster = await createCluster({ time: "virtual", images: { "broken:*": { pull } }, controllers: [] });
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "broken:1" }] } });
    await cluster.advance("15s");
    const containers = [{ name: "main", image: "web:2" }];
    await pods.patch("web", { type: "strategic", patch: { spec: { containers } } });
    await cluster.settled();
    const { status } = await pods.get("web");
    expect(status?.containerStatuses).toMatchObject([{ image: "web:2", restartCount: 0, ready: true }]);
  });
});
