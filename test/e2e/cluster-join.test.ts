// The controllers, the scheduler and the nodes of `kubestream/cluster` on a real kube-apiserver, which runs without
// kube-controller-manager and kube-scheduler.
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKubeletListener } from "../../src/apiserver/node/kubelet-listener.js";
import { run as runCommand } from "../../src/cli/commands/cluster.js";
import type { ClusterHandles } from "../../src/cluster/cluster.js";
import { isAvailable } from "../../src/cluster/is-available.js";
import { joinCluster } from "../../src/cluster/join-cluster.js";
import type { LogEntry } from "../../src/controller/reconcile/controller-log.js";
import { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../src/kinds/apps/v1.js";
import { Job } from "../../src/kinds/batch/v1.js";
import { Lease } from "../../src/kinds/coordination/v1.js";
import { ConfigMap, Namespace, Node, PersistentVolumeClaim, Pod, ServiceAccount } from "../../src/kinds/core/v1.js";
import { PodDisruptionBudget } from "../../src/kinds/policy/v1.js";
import { ClusterRole } from "../../src/kinds/rbac/v1.js";
import { formatMicroTime } from "../../src/meta/time.js";
import { type ConnectedClient, connect } from "../../src/node/connection/connect.js";
import { drain } from "../../src/operations/drain.js";
import { freshNamespace, missing } from "./cluster.js";
import { runKubectl } from "./kubectl.js";
import { describeContainerCommands, shellImage } from "./kubectl-containers.js";
import { findKubectl, type RealApiServer, startRealApiServer } from "./real-apiserver.js";

const timeoutMs = 60_000;
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } as const;

describe.skipIf(missing !== undefined)("a cluster on a real kube-apiserver", () => {
  let server: RealApiServer;
  let client: ConnectedClient;
  let cluster: ClusterHandles;
  const problems: LogEntry[] = [];

  beforeAll(async () => {
    // A server of its own: other tests don't expect controllers.
    server = await startRealApiServer();
    client = await connect({ kubeconfig: server.kubeconfig });
    const log = (entry: LogEntry): void => void (entry.level === "error" && problems.push(entry));
    const images = { ...shellImage(), "task:*": { run: () => 0 } };
    cluster = await joinCluster(client, { nodes: 3, images, kubelets: createKubeletListener(), log });
    await readDriversOfVolumes();
  });
  afterAll(async () => {
    await cluster?.close();
    await client?.close();
    await server?.stop();
  });

  /** Runs a pod with a claim: the cluster watches the drivers of volumes from then on, beyond the test with the pod. */
  async function readDriversOfVolumes(): Promise<void> {
    const space = await namespace();
    await client
      .resource(PersistentVolumeClaim)
      .namespace(space)
      .create({
        metadata: { name: "data" },
        spec: claimSpec,
      });
    const { spec } = templateOf("first");
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await client
      .resource(Pod)
      .namespace(space)
      .create({ metadata: { name: "first" }, spec: { ...spec, volumes } });
    await cluster.until(Pod, `${space}/first`, (pod) => pod?.status?.phase === "Running", { timeoutMs });
    // A drained node must not have it.
    await client.resource(Pod).namespace(space).delete("first");
    await cluster.until(Pod, `${space}/first`, (pod) => pod === undefined, { timeoutMs });
  }

  /** Creates a namespace in which pods can be created. */
  async function namespace(): Promise<string> {
    const name = await freshNamespace(client);
    await cluster.until(ServiceAccount, `${name}/default`, (account) => account !== undefined, { timeoutMs });
    return name;
  }

  function templateOf(
    app: string,
    image = "web:1",
  ): { metadata: object; spec: { containers: { name: string; image: string }[] } } {
    return { metadata: { labels: { app } }, spec: { containers: [{ name: "main", image }] } };
  }

  async function createWeb(space: string, replicas: number): Promise<void> {
    await client
      .resource(Deployment)
      .namespace(space)
      .create({
        metadata: { name: "web" },
        spec: { replicas, selector: { matchLabels: { app: "web" } }, template: templateOf("web") },
      });
  }

  it("rolls out a Deployment, updates it, and deletes what it owned", async () => {
    const space = await namespace();
    await createWeb(space, 3);
    await cluster.until(Deployment, `${space}/web`, isAvailable, { timeoutMs });
    await client
      .resource(Deployment)
      .namespace(space)
      .patch("web", { type: "strategic", patch: { spec: { template: templateOf("web", "web:2") } } });
    await cluster.until(
      Deployment,
      `${space}/web`,
      (web) =>
        web?.status?.observedGeneration === web?.metadata?.generation &&
        web?.status?.updatedReplicas === 3 &&
        isAvailable(web),
      { timeoutMs },
    );
    // Events arrive after the changes that they are about.
    await expect
      .poll(async () => (await cluster.events(`${space}/web`)).map(({ reason }) => reason), { timeout: timeoutMs })
      .toEqual(expect.arrayContaining(["ScalingReplicaSet", "SuccessfulCreate", "Scheduled", "Started"]));
    const pods = await client.resource(Pod).namespace(space).list();
    await client.resource(Deployment).namespace(space).delete("web", { propagationPolicy: "Foreground" });
    await cluster.until(Deployment, `${space}/web`, (web) => web === undefined, { timeoutMs });
    // Dependents that block the deletion of their owner are gone before it.
    expect((await client.resource(ReplicaSet).namespace(space).list()).items).toEqual([]);
    for (const { metadata } of pods.items)
      await cluster.until(Pod, `${space}/${metadata!.name!}`, (pod) => pod === undefined, { timeoutMs });
  });

  it("runs an Indexed Job to its end", async () => {
    const space = await namespace();
    const { spec } = templateOf("task", "task:1");
    const template = { spec: { ...spec, restartPolicy: "Never" as const } };
    await client
      .resource(Job)
      .namespace(space)
      .create({
        metadata: { name: "report" },
        spec: { completions: 3, parallelism: 2, completionMode: "Indexed", template },
      });
    const isComplete = (
      job:
        | { status?: { conditions?: readonly { type: string; status: string }[] | undefined } | undefined }
        | undefined,
    ): boolean =>
      job?.status?.conditions?.some(({ type, status }) => type === "Complete" && status === "True") === true;
    const report = await cluster.until(Job, `${space}/report`, isComplete, { timeoutMs });
    expect(report?.status).toMatchObject({ succeeded: 3, completedIndexes: "0-2", uncountedTerminatedPods: {} });
  });

  it("keeps the order and the claims of a StatefulSet", async () => {
    const space = await namespace();
    await client
      .resource(StatefulSet)
      .namespace(space)
      .create({
        metadata: { name: "db" },
        spec: {
          serviceName: "db",
          replicas: 2,
          selector: { matchLabels: { app: "db" } },
          template: templateOf("db"),
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: claimSpec,
            },
          ],
        },
      });
    await cluster.until(StatefulSet, `${space}/db`, (set) => set?.status?.readyReplicas === 2, { timeoutMs });
    const claims = await client.resource(PersistentVolumeClaim).namespace(space).list();
    expect(claims.items.map(({ metadata, status }) => [metadata?.name, status?.phase])).toEqual([
      ["data-db-0", "Bound"],
      ["data-db-1", "Bound"],
    ]);
    // The pod comes back under its name.
    const uid = (await client.resource(Pod).namespace(space).get("db-0")).metadata?.uid;
    await client.resource(Pod).namespace(space).delete("db-0");
    await cluster.until(
      Pod,
      `${space}/db-0`,
      (pod) => pod !== undefined && pod.metadata?.uid !== uid && pod.status?.phase === "Running",
      { timeoutMs },
    );
  });

  it("places a DaemonSet on each node, and drains a node within a budget", async () => {
    const space = await namespace();
    await client
      .resource(DaemonSet)
      .namespace(space)
      .create({
        metadata: { name: "agent" },
        spec: { selector: { matchLabels: { app: "agent" } }, template: templateOf("agent") },
      });
    await cluster.until(DaemonSet, `${space}/agent`, (set) => set?.status?.numberReady === 3, { timeoutMs });
    await createWeb(space, 4);
    await client
      .resource(PodDisruptionBudget)
      .namespace(space)
      .create({ metadata: { name: "web" }, spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } } });
    await cluster.until(Deployment, `${space}/web`, isAvailable, { timeoutMs });
    await cluster.until(PodDisruptionBudget, `${space}/web`, (budget) => budget?.status?.disruptionsAllowed === 1, {
      timeoutMs,
    });
    await drain(client, "node-2", { ignoreDaemonSets: true, signal: AbortSignal.timeout(timeoutMs) });
    await cluster.until(Deployment, `${space}/web`, isAvailable, { timeoutMs });
    const pods = await client.resource(Pod).namespace(space).list({ labelSelector: "app=web" });
    expect(
      pods.items.filter(
        ({ spec, metadata }) => spec?.nodeName === "node-2" && metadata?.deletionTimestamp === undefined,
      ),
    ).toEqual([]);
    await client.resource(Node).patch("node-2", { type: "merge", patch: { spec: { unschedulable: null } } });
  });

  it("empties a namespace that is deleted, orphans what should stay, and publishes the CA", async () => {
    const space = await namespace();
    const root = await cluster.until(ConfigMap, `${space}/kube-root-ca.crt`, (map) => map !== undefined, { timeoutMs });
    expect(Object.keys(root?.data ?? {})).toEqual(["ca.crt"]);
    await createWeb(space, 1);
    await cluster.until(Deployment, `${space}/web`, isAvailable, { timeoutMs });
    await client.resource(Deployment).namespace(space).delete("web", { propagationPolicy: "Orphan" });
    await cluster.until(Deployment, `${space}/web`, (web) => web === undefined, { timeoutMs });
    const [set] = (await client.resource(ReplicaSet).namespace(space).list()).items;
    expect(set?.metadata?.ownerReferences ?? []).toEqual([]);
    await client.resource(Namespace).delete(space);
    await cluster.until(Namespace, space, (each) => each === undefined, { timeoutMs });
  });

  it("fills the aggregated ClusterRoles of the server", async () => {
    const role = await cluster.until(ClusterRole, "admin", (admin) => (admin?.rules ?? []).length > 0, {
      timeoutMs,
    });
    expect(role?.rules?.flatMap(({ resources = [] }) => resources)).toContain("deployments");
  });

  describeContainerCommands({
    kubectl: findKubectl()!,
    kubeconfig: () => server.kubeconfig,
    namespace: () => "default",
  });

  it("measures what pods and nodes use for kubectl top", async () => {
    const space = await namespace();
    await createWeb(space, 1);
    await cluster.until(Deployment, `${space}/web`, isAvailable, { timeoutMs });
    const kubectl = async (...words: string[]): Promise<string> =>
      (await runKubectl(findKubectl()!, server.kubeconfig, tmpdir(), words)).out;
    await kubectl("wait", "apiservice/v1beta1.metrics.k8s.io", "--for=condition=Available");
    expect(await kubectl("top", "pods", "-n", space, "--no-headers")).toMatch(/^web-\S+ +1m +10Mi/);
    expect((await kubectl("top", "nodes", "--no-headers")).match(/^node-\d/gm)).toEqual(["node-1", "node-2", "node-3"]);
  });

  it("refuses to run next to a kube-controller-manager", async () => {
    const leases = client.resource(Lease).namespace("kube-system");
    await leases.create({
      metadata: { name: "kube-controller-manager" },
      spec: { holderIdentity: "master-1", leaseDurationSeconds: 60, renewTime: formatMicroTime(Date.now()) },
    });
    await expect(joinCluster(client)).rejects.toThrow("master-1 holds the lease kube-system/kube-controller-manager");
    await leases.delete("kube-controller-manager");
  });

  it("refuses flags of an own server on the command line", async () => {
    await expect(runCommand(["--kubeconfig", server.kubeconfig, "--port", "1"])).rejects.toThrow(
      /^--port: has no effect/,
    );
    await expect(runCommand(["--join"])).rejects.toThrow("--join: --kubeconfig is required");
  });

  it("has logged no error but those of objects that changed in between", () => {
    const harmless = new Set(["Conflict", "NotFound", "AlreadyExists"]);
    const others = problems.filter(
      ({ error }) => !harmless.has((error as { reason?: string } | undefined)?.reason ?? ""),
    );
    expect(others.map(({ controller, request, error }) => [controller, request?.name, String(error)])).toEqual([]);
  });
});
