import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../src/cluster/cluster.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../src/cluster/is-available.js";
import { ClosedError } from "../../../src/errors/errors.js";
import { Deployment, ReplicaSet } from "../../../src/kinds/apps/v1.js";
import { Node, PersistentVolumeClaim, Pod, ResourceQuota, Service } from "../../../src/kinds/core/v1.js";

describe("error of a wait that failed", () => {
  it("shows the object's conditions, its pods with their states, and the events about all of them", async () => {
    await using cluster = await createCluster({
      time: "virtual",
      seed: 1,
      images: { "bad:*": { run: ({ stderr }) => (stderr.write("no database\n"), 3) } },
    });
    const labels = { app: "web" };
    const resources = { requests: { cpu: "5" } };
    const containers = [{ name: "main", image: "bad:1", resources }];
    await cluster.client
      .resource(ReplicaSet)
      .namespace("default")
      .create({
        metadata: { name: "web" },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
      });
    const wait = cluster.until(ReplicaSet, "default/web", () => false, { timeoutMs: 5_000 });
    const error = await wait.then(
      () => "",
      (thrown: Error) => thrown.message,
    );
    expect(error).toMatch(/default\/web did not meet the condition within 5000 ms/);
    expect(error).toMatch(/web-\w+ Running on node-1/);
    expect(error).toMatch(
      /main: CrashLoopBackOff, 1 restarts, last run Error \(exit code 3\): back-off 10s restarting failed container=main/,
    );
    expect(error).toMatch(/ {6}> no database\n/);
    expect(error).toMatch(/web-\w+ Pending on no node/);
    expect(error).toMatch(/PodScheduled=False Unschedulable 0\/1 nodes are available: 1 Insufficient cpu\./);
    expect(error).toMatch(/default-scheduler: Pod web-\w+: FailedScheduling: 0\/1 nodes are available/);
    expect(error).toMatch(/replicaset-controller: ReplicaSet web: SuccessfulCreate: Created pod: web-/);
  });

  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "web:1", readinessProbe: { httpGet: { port: 80 } } }] },
  };
  const web = { metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } };

  const cases: [string, (cluster: Cluster) => unknown, RegExp][] = [
    [
      "a quota that refuses pods",
      (cluster) =>
        cluster.client
          .resource(ResourceQuota)
          .namespace("default")
          .create({ metadata: { name: "small" }, spec: { hard: { pods: "0" } } }),
      /ReplicaSet web-\w+: FailedCreate: .*exceeded quota: small, .* \(and \d+ similar\)\nproblems of controllers:\n.* \(\d+ times\)$/,
    ],
    [
      "a probe that fails",
      () => undefined,
      /main: Running, not ready, 0 restarts\n[^]*Unhealthy: Readiness probe failed: connection refused/,
    ],
    [
      "a controller that is held back",
      (cluster) => cluster.controllers.pause("replicaset"),
      /\(none matches the selector app=web\)[^]*\npaused controllers: replicaset$/,
    ],
    [
      "a node that is cut off",
      (cluster) => cluster.nodes("node-1").partition(),
      /web-\S+ Pending on node-1, which is partitioned\n/,
    ],
  ];
  it.each(cases)("explains %s", async (_, prepare, expected) => {
    const images = { "web:*": { probe: () => "connection refused" } };
    await using cluster = await createCluster({ time: "virtual", seed: 1, images });
    await prepare(cluster);
    await cluster.client.resource(Deployment).namespace("default").create(web);
    await expect(cluster.until(Deployment, "default/web", isAvailable, { timeoutMs: 30_000 })).rejects.toThrow(
      expected,
    );
  });

  it("names the ResourceClaims that a pod waits for, about which the scheduler says nothing", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const resourceClaims = [
      { name: "gpu", resourceClaimName: "training" },
      { name: "nic", resourceClaimTemplateName: "fast" },
    ];
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .create({ metadata: { name: "train" }, spec: { ...template.spec, resourceClaims } });
    await expect(cluster.until(Pod, "default/train", () => false, { timeoutMs: 1_000 })).rejects.toThrow(
      "resource claims:\n  train: gpu: training doesn't exist\n  train: nic: isn't made from its template yet\n",
    );
  });

  it("names the selector of a Service that selects nothing, the events of a pod's claim, and objects of similar names", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const claim = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } };
    await cluster.client
      .resource(PersistentVolumeClaim)
      .namespace("default")
      .create({ metadata: { name: "data" }, spec: { ...claim, storageClassName: "fast" } });
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .create({ metadata: { name: "db" }, spec: { ...template.spec, volumes } });
    await cluster.client
      .resource(Service)
      .namespace("default")
      .create({ metadata: { name: "web" }, spec: { selector: { app: "wbe" }, ports: [{ port: 80 }] } });
    const never = { timeoutMs: 1_000 };
    await expect(cluster.until(Service, "default/web", () => false, never)).rejects.toThrow(
      "(none matches the selector app=wbe)",
    );
    await expect(cluster.until(Pod, "default/db", () => false, never)).rejects.toThrow(
      'PersistentVolumeClaim data: ProvisioningFailed: storageclass.storage.k8s.io "fast" not found',
    );
    await expect(cluster.until(Pod, "default/bd", () => false, never)).rejects.toThrow(
      "Pod default/bd does not exist; default has: db",
    );
  });

  it("names objects of the kind in other namespaces", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    await cluster.client.resource(Deployment).namespace("default").create(web);
    await expect(cluster.until(Deployment, "web/web", () => false, { timeoutMs: 1_000 })).rejects.toThrow(
      "Deployment web/web does not exist; there are: default/web",
    );
  });

  it("names the controllers that run if some don't", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1, controllers: ["deployment"] });
    await cluster.client.resource(Deployment).namespace("default").create(web);
    await expect(cluster.until(Deployment, "default/web", isAvailable)).rejects.toThrow(
      /\nrunning controllers: deployment$/,
    );
  });

  it("comes at once for a name whose form isn't that of the kind", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const start = cluster.now();
    await expect(cluster.until(Deployment, "web", isAvailable)).rejects.toThrow(
      new RangeError('until: "web": a Deployment has a namespace: write "NAMESPACE/web"'),
    );
    await expect(cluster.until(Node, "default/node-1", () => true)).rejects.toThrow(
      new RangeError('until: "default/node-1": a Node has no namespace: write only its name'),
    );
    expect(cluster.now()).toBe(start);
  });

  it("says that the object doesn't exist", async () => {
    await using cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1 });
    await expect(cluster.until(Pod, "default/none", () => false, { timeoutMs: 1_000 })).rejects.toThrow(
      /Pod default\/none does not exist/,
    );
  });
});

it.each(["virtual", "real"] as const)("a wait ends when its cluster with %s time is closed", async (time) => {
  const cluster = await createCluster({ time, seed: 1 });
  const wait = cluster.until(Pod, "default/absent", (pod) => pod !== undefined, { timeoutMs: 1e9 });
  const failed = wait.catch((error: unknown) => error);
  await cluster.settled();
  await cluster.close();
  expect(await failed).toBeInstanceOf(ClosedError);
});
