import { describe, expect, it } from "vitest";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import { createClient } from "../../../../../src/client/client.js";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { joinCluster } from "../../../../../src/cluster/join-cluster.js";
import { createServerTransport } from "../../../../../src/cluster/server-transport.js";
import { createActivity } from "../../../../../src/cluster/time/activity.js";
import { Deployment } from "../../../../../src/kinds/apps/v1.js";
import { Node, Pod, type Taint, type Toleration } from "../../../../../src/kinds/core/v1.js";
import { Event } from "../../../../../src/kinds/events/v1.js";

const containers = [{ name: "main", image: "web:1" }];

async function start(nodes = 2): Promise<Cluster> {
  return await createCluster({ nodes, time: "virtual", seed: 1 });
}

async function createPod(cluster: Cluster, name: string, tolerations: Toleration[] = [], more = {}): Promise<void> {
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name }, spec: { nodeName: "node-1", containers, tolerations, ...more } });
  await cluster.settled();
}

async function nodeState(cluster: Cluster, name = "node-1"): Promise<object> {
  const { spec, status } = await cluster.client.resource(Node).get(name);
  return {
    ready: status?.conditions?.find(({ type }) => type === "Ready")?.status,
    taints: (spec?.taints ?? []).map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")} ${effect}`),
  };
}

/** Returns phase, readiness and disruption of a pod; `undefined` if it's gone. */
async function podState(cluster: Cluster, name: string): Promise<string | undefined> {
  const pod = await cluster.client.resource(Pod).namespace("default").getOptional(name);
  if (pod === undefined) return undefined;
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  const reason = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget")?.reason;
  const deleted = pod.metadata?.deletionTimestamp === undefined ? "" : " deleted";
  return `${pod.status?.phase} ready=${ready}${deleted}${reason === undefined ? "" : ` ${reason}`}`;
}

async function reasons(cluster: Cluster, name: string): Promise<string[]> {
  const { items } = await cluster.client.resource(Event).list();
  return items
    .filter(({ regarding }) => regarding?.name === name)
    .map(({ reason }) => reason!)
    .sort();
}

describe("a node without heartbeats", () => {
  it("has no taint while it reports, over days", async () => {
    await using cluster = await start();
    await cluster.advance("2d");
    expect(await nodeState(cluster)).toEqual({ ready: "True", taints: [] });
  });

  it("is unknown after 50 seconds, its pods aren't ready, and it recovers", async () => {
    await using cluster = await start();
    await createPod(cluster, "web");
    await cluster.nodes("node-1").partition();
    await cluster.advance("39s");
    expect(await nodeState(cluster)).toEqual({ ready: "True", taints: [] });
    await cluster.advance("12s");
    expect(await nodeState(cluster)).toEqual({
      ready: "Unknown",
      taints: ["unreachable NoSchedule", "unreachable NoExecute"],
    });
    expect(await podState(cluster, "web")).toBe("Running ready=False");
    expect(await reasons(cluster, "node-1")).toContain("NodeNotReady");
    expect(await reasons(cluster, "web")).toContain("NodeNotReady");
    await cluster.nodes("node-1").recover();
    await cluster.settled();
    expect(await nodeState(cluster)).toEqual({ ready: "True", taints: [] });
    expect(await podState(cluster, "web")).toBe("Running ready=True");
  });

  it("loses its pods after five minutes, and a Deployment gets others", async () => {
    await using cluster = await start();
    await cluster.client
      .resource(Deployment)
      .namespace("default")
      .create({
        metadata: { name: "web" },
        spec: {
          replicas: 2,
          selector: { matchLabels: { app: "web" } },
          template: { metadata: { labels: { app: "web" } }, spec: { containers } },
        },
      });
    await cluster.settled();
    await cluster.nodes("node-1").crash();
    await cluster.advance("5m");
    const living = async (): Promise<(string | undefined)[]> => {
      const { items } = await cluster.client.resource(Pod).list();
      return items.filter(({ metadata }) => !metadata?.deletionTimestamp).map(({ spec }) => spec?.nodeName);
    };
    expect((await living()).sort()).toEqual(["node-1", "node-2"]);
    await cluster.advance("1m");
    expect(await living()).toEqual(["node-2", "node-2"]);
  });
});

describe("nodes that are lost together", () => {
  const kept = { ready: "Unknown", taints: ["unreachable NoSchedule"] };
  const evicted = { ready: "Unknown", taints: ["unreachable NoSchedule", "unreachable NoExecute"] };

  it("keep their pods if no node is left, and lose them one after the other when one is back", async () => {
    await using cluster = await start(3);
    const states = (): Promise<object[]> =>
      Promise.all(["node-1", "node-2", "node-3"].map((name) => nodeState(cluster, name)));
    await cluster.nodes("node-1").partition();
    await cluster.advance("1m");
    expect((await states())[0]).toEqual(evicted);
    for (const name of ["node-2", "node-3"]) await cluster.nodes(name).partition();
    await cluster.advance("1m");
    expect(await states()).toEqual([kept, kept, kept]);
    await cluster.advance("10m");
    expect(await states()).toEqual([kept, kept, kept]);
    await cluster.nodes("node-3").recover();
    const isEvicted = (state: object): boolean => JSON.stringify(state) === JSON.stringify(evicted);
    expect((await states()).filter(isEvicted)).toHaveLength(0);
    await cluster.advance("15s");
    expect((await states()).filter(isEvicted)).toHaveLength(1);
    await cluster.advance("10s");
    expect(await states()).toEqual([evicted, evicted, { ready: "True", taints: [] }]);
  });

  it("keep their pods in a small zone that has lost more than half of its nodes", async () => {
    await using cluster = await start(4);
    const names = ["node-1", "node-2", "node-3"];
    for (const name of names) await cluster.nodes(name).partition();
    await cluster.advance("5m");
    expect(await Promise.all(names.map((name) => nodeState(cluster, name)))).toEqual([kept, kept, kept]);
    expect(await nodeState(cluster, "node-4")).toEqual({ ready: "True", taints: [] });
  });
});

describe("a node out of service", () => {
  const outOfService = {
    key: "node.kubernetes.io/out-of-service",
    value: "nodeshutdown",
    effect: "NoExecute" as const,
  };
  const setTaints = (cluster: Cluster): Promise<Node> =>
    cluster.client.resource(Node).patch("node-1", { type: "merge", patch: { spec: { taints: [outOfService] } } });

  it("loses its pods at once while it doesn't answer", async () => {
    await using cluster = await start();
    await createPod(cluster, "web");
    await cluster.nodes("node-1").crash();
    await cluster.advance("1m");
    await cluster.client.resource(Pod).namespace("default").delete("web");
    await cluster.advance("2m");
    expect(await podState(cluster, "web")).toBe("Running ready=False deleted");
    await setTaints(cluster);
    await cluster.settled();
    expect(await podState(cluster, "web")).toBeUndefined();
  });

  it("ends its pods itself while it answers", async () => {
    await using cluster = await start();
    await createPod(cluster, "web");
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.patch("web", { type: "merge", patch: { metadata: { finalizers: ["example.com/hold"] } } });
    await setTaints(cluster);
    await cluster.advance("1m");
    expect((await pods.get("web")).status?.phase).toBe("Succeeded");
  });
});

describe("a taint with the effect NoExecute", () => {
  const taint = { key: "broken", effect: "NoExecute" as const };
  const rows: readonly [
    title: string,
    tolerations: Toleration[],
    before: string | undefined,
    after: string | undefined,
  ][] = [
    ["evicts a pod that doesn't tolerate it", [], undefined, undefined],
    [
      "keeps a pod that tolerates it",
      [{ key: "broken", operator: "Exists" }],
      "Running ready=True",
      "Running ready=True",
    ],
    [
      "evicts a pod after the time that it tolerates",
      [{ key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
      "Running ready=True",
      undefined,
    ],
    [
      "keeps a pod for the time of the first toleration that fits",
      [
        { operator: "Exists", effect: "NoExecute", tolerationSeconds: 600 },
        { key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 },
      ],
      "Running ready=True",
      "Running ready=True",
    ],
  ];
  it("lets a pod run for its time from when the controller sees both, and doesn't change its plan", async () => {
    await using cluster = await start();
    const limited = ["broken", "worse"].map((key, index) => ({ key, tolerationSeconds: index === 0 ? 60 : 5 }));
    const tolerations = limited.map((each) => ({ ...each, operator: "Exists", effect: "NoExecute" }) as const);
    const addTaint = async (key: string): Promise<void> => {
      await cluster.client.resource(Node).update("node-1", (node) => {
        node.spec = {
          ...node.spec,
          taints: [...(node.spec?.taints ?? []), { ...taint, key, timeAdded: "2020-01-01T00:00:00Z" }],
        };
      });
      await cluster.advance("25s");
    };
    for (const name of ["web", "deleted"]) await createPod(cluster, name, tolerations);
    await createPod(cluster, "ended", [], { restartPolicy: "Never" });
    await cluster.pods({ namespace: "default", name: "ended" }).crash({ exitCode: 0 });
    await cluster.settled();
    expect(await podState(cluster, "ended")).toBe("Succeeded ready=False");
    await addTaint("broken");
    await cluster.client.resource(Pod).namespace("default").delete("deleted");
    await addTaint("worse");
    expect(await podState(cluster, "web")).toBe("Running ready=True");
    await cluster.advance("11s");
    expect(await podState(cluster, "web")).toBeUndefined();
    const { items } = await cluster.client.resource(Event).list();
    const notes = items.filter(({ reason }) => reason === "TaintManagerEviction").map(({ note }) => note);
    expect(notes.sort()).toEqual([
      "Cancelling deletion of Pod default/deleted",
      "Marking for deletion Pod default/ended",
      "Marking for deletion Pod default/web",
    ]);
  });

  it.each(rows)("%s", async (_title, tolerations, before, after) => {
    await using cluster = await start();
    await createPod(cluster, "web", tolerations);
    await cluster.client.resource(Node).update("node-1", (node) => {
      node.spec = {
        ...node.spec,
        taints: [{ ...taint, timeAdded: new Date(cluster.now()).toISOString().replace(".000", "") }],
      };
    });
    await cluster.advance("50s");
    expect(await podState(cluster, "web")).toBe(before);
    await cluster.advance("1m");
    expect(await podState(cluster, "web")).toBe(after);
  });
});

describe("pods of a deleted node", () => {
  it("are removed after 40 seconds", async () => {
    await using cluster = await start();
    await createPod(cluster, "web");
    await cluster.nodes("node-1").crash();
    await cluster.client.resource(Node).delete("node-1");
    await cluster.advance("39s");
    expect(await podState(cluster, "web")).toBe("Running ready=True");
    await cluster.advance("2s");
    expect(await podState(cluster, "web")).toBeUndefined();
  });

  it("are removed after 40 seconds each time that the node is deleted", async () => {
    await using cluster = await start();
    const node = { metadata: { name: "node-1" } };
    for (const name of ["first", "second"]) {
      await createPod(cluster, name);
      await cluster.client.resource(Node).delete("node-1");
      await cluster.advance("39s");
      expect(await podState(cluster, name), name).toBe("Running ready=True");
      await cluster.advance("2s");
      expect(await podState(cluster, name), name).toBeUndefined();
      await cluster.client.resource(Node).create(node);
      await cluster.settled();
    }
  });

  it("that were never scheduled go as soon as they are deleted", async () => {
    await using cluster = await start();
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "big" }, spec: { containers, nodeSelector: { no: "node" } } });
    await pods.delete("big");
    await cluster.settled();
    expect(await podState(cluster, "big")).toBeUndefined();
  });

  it("that were never scheduled fail when they are deleted, if a finalizer holds them", async () => {
    await using cluster = await start();
    const pods = cluster.client.resource(Pod).namespace("default");
    const finalizers = ["example.com/hold"];
    await pods.create({ metadata: { name: "big", finalizers }, spec: { containers, nodeSelector: { no: "node" } } });
    await pods.delete("big");
    await cluster.settled();
    expect((await pods.get("big")).status?.phase).toBe("Failed");
  });
});

describe("a node", () => {
  it("keeps taints of users whose effect isn't that of a condition", async () => {
    await using cluster = await start();
    const taints: Taint[] = [
      { key: "node.kubernetes.io/memory-pressure", effect: "PreferNoSchedule" },
      { key: "node.kubernetes.io/disk-pressure", effect: "NoExecute" },
    ];
    await cluster.client.resource(Node).patch("node-1", { type: "merge", patch: { spec: { taints } } });
    await cluster.settled();
    expect(await nodeState(cluster)).toEqual({
      ready: "True",
      taints: ["memory-pressure PreferNoSchedule", "disk-pressure NoExecute"],
    });
  });

  it("whose kubelet reports that it isn't ready keeps the readiness of its pods", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
    const nodes = cluster.client.resource(Node);
    const ready = (status: "True" | "False") => ({ conditions: [{ type: "Ready", status }] });
    await nodes.create({ metadata: { name: "node-1" } });
    await nodes.subresource("status").update("node-1", (node) => {
      node.status = ready("True");
    });
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "web" }, spec: { nodeName: "node-1", containers } });
    await pods.subresource("status").update("web", (pod) => {
      pod.status = { phase: "Running", ...ready("True") };
    });
    await cluster.advance("5s");
    await nodes.subresource("status").update("node-1", (node) => {
      node.status = ready("False");
    });
    await cluster.advance("5s");
    expect(await nodeState(cluster)).toEqual({
      ready: "False",
      taints: ["not-ready NoSchedule"],
    });
    expect(await podState(cluster, "web")).toBe("Running ready=True");
  });

  it("that is cordoned gets the taint unschedulable, and loses it again", async () => {
    await using cluster = await start();
    const nodes = cluster.client.resource(Node);
    await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: true } } });
    await cluster.settled();
    expect(await nodeState(cluster)).toEqual({ ready: "True", taints: ["unschedulable NoSchedule"] });
    await nodes.patch("node-1", { type: "merge", patch: { spec: { unschedulable: null } } });
    await cluster.settled();
    expect(await nodeState(cluster)).toEqual({ ready: "True", taints: [] });
  });
});

it("heartbeats of nodes are watched once", async () => {
  const server = createApiServer({ controllers: false });
  await server.ready();
  const watched = new Set<string>();
  const client = createClient({
    transport: createServerTransport({ server, activity: createActivity(), internal: false }),
    interceptors: [
      (next) => (request) => {
        const [path = "", query = ""] = request.path.split("?");
        if (/\b(watch|limit)=/.test(query)) watched.add(path);
        return next(request);
      },
    ],
  });
  const cluster = await joinCluster(client, { controllers: ["node-lifecycle"] });
  await cluster.close();
  await client.close();
  await server.close();
  expect([...watched].filter((path) => path.endsWith("/leases"))).toEqual(["/apis/coordination.k8s.io/v1/leases"]);
});
