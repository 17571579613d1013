import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScript, ImageScripts } from "../../../../src/cluster/nodes/containers/images.js";
import { ConfigError } from "../../../../src/errors/errors.js";
import {
  ConfigMap,
  type ContainerStatus,
  type EnvVarSource,
  Event,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  Secret,
  type Volume,
} from "../../../../src/kinds/core/v1.js";

interface Started {
  readonly cluster: Cluster;
  /** Returns the pod. */
  pod(): Promise<Pod>;
  /** Returns the status of a container. */
  container(name?: string): Promise<ContainerStatus>;
  /** Returns `REASON NOTE` of the kubelet's events about the pod, oldest first. */
  notes(): Promise<string[]>;
}

const main = { name: "main", image: "web:1" };

async function start(spec: Partial<PodSpec>, images: ImageScripts = {}): Promise<Started> {
  const cluster = await createCluster({ time: "virtual", seed: 1, images, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  await pods.create({ metadata: { name: "web", labels: { app: "web" } }, spec: { containers: [main], ...spec } });
  await cluster.settled();
  return {
    cluster,
    pod: () => pods.get("web"),
    async container(name = "main") {
      const { status } = await pods.get("web");
      return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].find(
        (each) => each.name === name,
      )!;
    },
    async notes() {
      const { items } = await cluster.client.resource(Event).namespace("default").list();
      return items
        .filter(({ reportingComponent }) => reportingComponent === "kubelet")
        .sort((a, b) => (a.metadata!.name! < b.metadata!.name! ? -1 : 1))
        .map(({ reason, message }) => `${reason} ${message}`);
    },
  };
}

function conditions({ status }: Pod): Record<string, string> {
  return Object.fromEntries(
    (status?.conditions ?? []).map(({ type, status: value, reason }) => [type, reason ? `${value} ${reason}` : value]),
  );
}

describe("kubelet of a cluster", () => {
  it("starts a pod at once, with addresses, conditions and container statuses", async () => {
    const { cluster, pod, notes } = await start({});
    await using _ = cluster;
    const { status, metadata } = await pod();
    expect(status).toMatchObject({
      phase: "Running",
      hostIP: "172.18.0.2",
      hostIPs: [{ ip: "172.18.0.2" }],
      podIP: "10.244.0.2",
      podIPs: [{ ip: "10.244.0.2" }],
      qosClass: "BestEffort",
      startTime: "2026-01-01T00:00:00Z",
      observedGeneration: 1,
    });
    expect(status?.containerStatuses).toEqual([
      {
        name: "main",
        image: "web:1",
        imageID: expect.stringMatching(/^web@sha256:[0-9a-f]{64}$/) as string,
        containerID: `kubestream://${metadata!.uid!}/main/0`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
        lastState: {},
        resources: {},
      },
    ]);
    expect(conditions(await pod())).toEqual({
      ContainersReady: "True",
      Initialized: "True",
      PodReadyToStartContainers: "True",
      PodScheduled: "True",
      Ready: "True",
    });
    expect(await notes()).toEqual([
      'Pulled Container image "web:1" already present on machine and can be accessed by the pod',
      "Created Container created",
      "Started Container started",
    ]);
  });

  it("restarts a container that crashes at once, then after 10, 20 and 40 seconds", async () => {
    const { cluster, container, notes } = await start({});
    await using _ = cluster;
    for (const delay of [0, 10, 20, 40]) {
      await cluster.pods("app=web").crash({ exitCode: 137, reason: "OOMKilled" });
      expect((await container()).state?.terminated).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
      if (delay > 0) {
        await cluster.advance("2s");
        const { state, lastState } = await container();
        expect(state?.waiting?.reason).toBe("CrashLoopBackOff");
        expect(state?.waiting?.message).toMatch(`back-off ${delay}s restarting failed container=main pod=web_default(`);
        expect(lastState?.terminated?.reason).toBe("OOMKilled");
        await cluster.advance(delay * 1_000 - 3_000);
        expect((await container()).state?.waiting?.reason).toBe("CrashLoopBackOff");
      }
      await cluster.advance("2s");
      expect((await container()).state?.running).toBeDefined();
    }
    expect((await container()).restartCount).toBe(4);
    expect((await notes()).filter((note) => note.startsWith("BackOff"))).toEqual([
      expect.stringMatching(/^BackOff Back-off restarting failed container main in pod web_default\(.+\)$/),
    ]);
  });

  it("forgets a back-off after ten minutes of success", async () => {
    const { cluster, container } = await start({});
    await using _ = cluster;
    await cluster.pods().crash();
    await cluster.advance("11m");
    await cluster.pods().crash();
    await cluster.advance("2s");
    expect(await container()).toMatchObject({ restartCount: 2, ready: true });
  });

  it("counts up to the longest back-off of five minutes", async () => {
    const { cluster, container } = await start({}, { "web:*": { run: () => 1 } });
    await using _ = cluster;
    await cluster.advance("1h");
    // Restarts after 1 s, 11 s, 32 s, 73 s, 154 s, 315 s and then every 301 s.
    const { restartCount, state } = await container();
    expect(state?.waiting?.message).toMatch(/^back-off 5m0s restarting/);
    expect(restartCount).toBe(16);
  });

  it.each([
    { policy: "Never", code: 0, phase: "Succeeded", restartCount: 0, reason: "PodCompleted" },
    { policy: "Never", code: 3, phase: "Failed", restartCount: 0, reason: "PodFailed" },
    { policy: "OnFailure", code: 0, phase: "Succeeded", restartCount: 0, reason: "PodCompleted" },
    { policy: "OnFailure", code: 3, phase: "Running", restartCount: 1, reason: "ContainersNotReady" },
    { policy: "Always", code: 0, phase: "Running", restartCount: 1, reason: "ContainersNotReady" },
  ])("with the restart policy $policy and the exit code $code, the pod is $phase", async (row) => {
    const images = { "web:*": { run: () => row.code } };
    const { cluster, pod, container } = await start({ restartPolicy: row.policy as "Always" }, images);
    await using _ = cluster;
    await cluster.advance("5s");
    expect((await pod()).status?.phase).toBe(row.phase);
    expect((await container()).restartCount).toBe(row.restartCount);
    expect(conditions(await pod())["Ready"]).toBe(`False ${row.reason}`);
  });

  it("runs init containers in order, keeps sidecars running and stops them after the main container", async () => {
    const order: string[] = [];
    const images: ImageScripts = {
      "init:*": {
        async run({ container, sleep }) {
          order.push(container.name);
          await sleep("5s");
        },
      },
      "side:*": {
        async run({ container, signal }) {
          order.push(container.name);
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          order.push(`${container.name} stopped`);
        },
      },
      "web:*": {
        async run({ container, sleep }) {
          order.push(container.name);
          await sleep("5s");
        },
      },
    };
    const sidecar = (name: string): object => ({ name, image: "side:1", restartPolicy: "Always" });
    const { cluster, pod } = await start(
      {
        restartPolicy: "Never",
        initContainers: [
          { name: "first", image: "init:1" },
          sidecar("proxy") as never,
          { name: "second", image: "init:1" },
          sidecar("logger") as never,
        ],
      },
      images,
    );
    await using _ = cluster;
    expect((await pod()).status).toMatchObject({ phase: "Pending" });
    expect(conditions(await pod())["Initialized"]).toBe("False ContainersNotInitialized");
    expect((await pod()).status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("PodInitializing");
    await cluster.advance("6s");
    expect(order).toEqual(["first", "proxy", "second"]);
    await cluster.advance("5s");
    expect(conditions(await pod())).toMatchObject({ Initialized: "True", Ready: "True" });
    await cluster.advance("10s");
    expect(order.slice(3)).toEqual(["logger", "main", "logger stopped", "proxy stopped"]);
    expect((await pod()).status?.phase).toBe("Succeeded");
  });

  it("fails a pod whose init container fails and isn't restarted", async () => {
    const init = { name: "init", image: "init:1" };
    const { cluster, pod } = await start(
      { restartPolicy: "Never", initContainers: [init] },
      { "init:*": { run: () => 1 } },
    );
    await using _ = cluster;
    expect((await pod()).status?.phase).toBe("Failed");
    expect((await pod()).status?.containerStatuses?.[0]?.state?.waiting).toEqual({ reason: "PodInitializing" });
  });

  it("fails a pod with a sidecar once the sidecar has ended after a failed init container", async () => {
    const initContainers = [
      { name: "proxy", image: "side:1", restartPolicy: "Always" as const },
      { name: "init", image: "init:1" },
    ];
    const { cluster, pod } = await start(
      { restartPolicy: "Never", initContainers },
      { "init:*": { run: () => 1 }, "side:*": { run: () => new Promise(() => undefined) } },
    );
    await using _ = cluster;
    await cluster.advance("20s");
    expect((await pod()).status?.phase).toBe("Pending");
    await cluster.advance("15s");
    expect((await pod()).status?.phase).toBe("Failed");
  });

  it("stops the ephemeral containers of a pod whose containers have ended", async () => {
    const { cluster, pod, notes } = await start(
      { restartPolicy: "Never" },
      { "web:*": { run: ({ sleep }) => sleep("5s") }, "debug:*": { run: () => new Promise(() => undefined) } },
    );
    await using _ = cluster;
    const pods = cluster.client.resource(Pod).namespace("default");
    const ephemeralContainers = [{ name: "debugger", image: "debug:1" }];
    await pods
      .subresource("ephemeralcontainers")
      .patch((await pod()).metadata!.name!, { type: "strategic", patch: { spec: { ephemeralContainers } } });
    await cluster.advance("20s");
    expect((await pod()).status?.phase).toBe("Running");
    expect(await notes()).toContain("Killing Stopping container debugger");
    await cluster.advance("20s");
    expect((await pod()).status).toMatchObject({
      phase: "Succeeded",
      ephemeralContainerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
  });

  it("shows ContainerCreating while an image is pulled, once per node", async () => {
    const { cluster, pod, container, notes } = await start({}, { "web:*": { pull: "2s" } });
    await using _ = cluster;
    expect((await container()).state?.waiting).toEqual({ reason: "ContainerCreating" });
    expect((await pod()).status?.phase).toBe("Pending");
    await cluster.advance("2s");
    expect((await pod()).status?.phase).toBe("Running");
    expect(await notes()).toContain(
      'Pulled Successfully pulled image "web:1" in 2s (2s including waiting). Image size: 0 bytes.',
    );
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "second" }, spec: { containers: [main] } });
    await cluster.settled();
    expect((await pods.get("second")).status?.phase).toBe("Running");
  });

  it("backs off when an image can't be pulled", async () => {
    const pull = ({ failures }: { failures: number }): string => {
      if (failures < 2) throw new Error("not found");
      return "1s";
    };
    const { cluster, container, notes } = await start({}, { "web:*": { pull } });
    await using _ = cluster;
    expect((await container()).state?.waiting).toEqual({ reason: "ErrImagePull", message: "not found" });
    await cluster.advance("5s");
    expect((await container()).state?.waiting).toEqual({
      reason: "ImagePullBackOff",
      message: 'Back-off pulling image "web:1": ErrImagePull: not found',
    });
    await cluster.advance("1m");
    expect((await container()).ready).toBe(true);
    expect(await notes()).toContain('Failed Failed to pull image "web:1": not found');
  });

  it.each([
    ["2 seconds", 'invalid duration "2 seconds": use numbers with ms, s, m, h or d, such as "1h30m"'],
    [-1, 'must be a duration, such as "2s", or a non-negative number of milliseconds, not -1'],
    [Number.NaN, 'must be a duration, such as "2s", or a non-negative number of milliseconds, not NaN'],
  ])("refuses an image whose pull takes %j, and fails the pull if a function returns it", async (pull, message) => {
    const refused = createCluster({ images: { "web:*": { pull } } });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(`images["web:*"].pull: ${message}`);
    const { cluster, container } = await start({}, { "web:*": { pull: () => pull } });
    await using _ = cluster;
    expect((await container()).state?.waiting).toEqual({ reason: "ErrImagePull", message });
  });

  it("waits for a ConfigMap of an environment variable, and gives the process its environment", async () => {
    const seen: unknown[] = [];
    const images: ImageScripts = {
      "web:*": { run: ({ env, args }) => void seen.push(env["COLOUR"], env["POD"], args) },
    };
    const { cluster, container } = await start(
      {
        restartPolicy: "Never",
        containers: [
          {
            ...main,
            command: ["serve", "--colour=$(COLOUR)", "$$(COLOUR)"],
            env: [
              { name: "COLOUR", valueFrom: { configMapKeyRef: { name: "settings", key: "colour" } } },
              { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            ],
          },
        ],
      },
      images,
    );
    await using _ = cluster;
    expect((await container()).state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: 'configmap "settings" not found',
    });
    await cluster.client
      .resource(ConfigMap)
      .namespace("default")
      .create({ metadata: { name: "settings" }, data: { colour: "blue" } });
    await cluster.advance("10s");
    expect(seen).toEqual(["blue", "web", ["serve", "--colour=blue", "$(COLOUR)"]]);
  });

  it("gives a process the limits of its container, or what its node has", async () => {
    const seen: unknown[] = [];
    const limit = (resource: string, divisor?: string): EnvVarSource => ({
      resourceFieldRef: { resource: `limits.${resource}`, ...(divisor !== undefined && { divisor }) },
    });
    const env = [
      { name: "CPU", valueFrom: limit("cpu") },
      { name: "MEMORY", valueFrom: limit("memory", "1Mi") },
    ];
    const run: ImageScript["run"] = ({ env: { CPU, MEMORY, HOSTNAME } }) => void seen.push(CPU, MEMORY, HOSTNAME);
    const resources = { limits: { cpu: "1500m" } };
    const spec = { restartPolicy: "Never", hostNetwork: true, containers: [{ ...main, env, resources }] } as const;
    const { cluster } = await start(spec as unknown as PodSpec, { "web:*": { run } });
    await using _ = cluster;
    expect(seen).toEqual(["2", "32768", "node-1"]);
  });

  it.each([
    [{ runAsUser: 0 }, { runAsNonRoot: true }],
    [{ runAsNonRoot: true }, { runAsUser: 0 }],
  ])("doesn't start a container that must not run as root as user 0 (pod %j, container %j)", async (ofPod, own) => {
    const spec = { securityContext: ofPod, containers: [{ ...main, securityContext: own }] };
    const { cluster, container, notes } = await start(spec);
    await using _ = cluster;
    const message = "container's runAsUser breaks non-root policy";
    expect((await container()).state?.waiting).toEqual({ reason: "CreateContainerConfigError", message });
    expect((await notes()).at(-1)).toBe(`Failed Error: ${message}`);
  });

  const items = [{ key: "colour", path: "colour" }];
  it.each([
    ["ConfigMap", { configMap: { name: "settings" } }, {}, 'configmap "settings" not found'],
    ["Secret", { secret: { secretName: "settings" } }, {}, 'secret "settings" not found'],
    [
      "projected ConfigMap",
      { projected: { sources: [{ configMap: { name: "settings" } }] } },
      {},
      'configmap "settings" not found',
    ],
    [
      "projected Secret",
      { projected: { sources: [{ secret: { name: "settings", items } }] } },
      { colour: "Ymx1ZQ==" },
      'secret "settings" not found',
    ],
    [
      "ConfigMap with a key",
      { configMap: { name: "settings", items } },
      { colour: "blue" },
      'configmap "settings" not found',
    ],
  ] as const)("mounts a volume when its %s exists", async (_, volume, data, problem) => {
    const { cluster, pod, notes } = await start({ volumes: [{ name: "config", ...(volume as Partial<Volume>) }] });
    await using _cluster = cluster;
    expect((await pod()).status?.phase).toBe("Pending");
    expect(await notes()).toEqual([`FailedMount MountVolume.SetUp failed for volume "config" : ${problem}`]);
    const objects = cluster.client.resource(problem.startsWith("secret") ? (Secret as typeof ConfigMap) : ConfigMap);
    await objects.namespace("default").create({ metadata: { name: "settings" }, data });
    await cluster.advance("1s");
    expect((await pod()).status?.phase).toBe("Running");
  });

  it.each([
    ["config", { configMap: { name: "settings", items } }, "non-existent config key: colour"],
    ["config", { secret: { secretName: "settings", items } }, "non-existent secret key: colour"],
  ])("doesn't mount the volume %s of %j before the object has the key", async (name, volume, problem) => {
    const { cluster, pod, notes } = await start({ volumes: [{ name, ...volume }] });
    await using _cluster = cluster;
    const handle = cluster.client
      .resource("secret" in volume ? (Secret as typeof ConfigMap) : ConfigMap)
      .namespace("default");
    await handle.create({ metadata: { name: "settings" }, data: { size: "MQ==" } });
    await cluster.advance("10s");
    expect((await notes()).at(-1)).toBe(
      `FailedMount MountVolume.SetUp failed for volume "config" : references ${problem}`,
    );
    await handle.patch("settings", { type: "merge", patch: { data: { colour: "MQ==" } } });
    await cluster.advance("1m");
    expect((await pod()).status?.phase).toBe("Running");
  });

  it.each([
    { configMap: { name: "settings", optional: true } },
    { secret: { secretName: "settings", optional: true } },
  ])("mounts the optional volume %j without its object", async (volume) => {
    const { cluster, pod } = await start({ volumes: [{ name: "config", ...volume }] });
    await using _cluster = cluster;
    expect((await pod()).status?.phase).toBe("Running");
  });

  it("waits for the volume of a claim, and reports it after two minutes", async () => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    const { cluster, pod, notes } = await start({ nodeName: "node-1", volumes });
    await using _ = cluster;
    await cluster.advance("1m");
    expect(await notes()).toEqual([]);
    await cluster.advance("5m");
    const lists = "unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]";
    expect(await notes()).toEqual([
      `FailedMount Unable to attach or mount volumes: ${lists}: error processing PVC default/data: persistentvolumeclaim "data" not found`,
    ]);
    const claims = cluster.client.resource(PersistentVolumeClaim).namespace("default");
    await claims.create({
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await claims.subresource("status").patch("data", { type: "merge", patch: { status: { phase: "Bound" } } });
    await cluster.advance("3m");
    expect((await pod()).status?.phase).toBe("Running");
  });

  it("ends a pod that exceeds its deadline", async () => {
    const { cluster, pod } = await start({ activeDeadlineSeconds: 30 });
    await using _ = cluster;
    await cluster.advance("31s");
    expect((await pod()).status).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      message: "Pod was active on the node longer than the specified deadline",
    });
  });

  it("evicts a pod for lack of resources", async () => {
    const { cluster, pod } = await start({});
    await using _ = cluster;
    await cluster.pods("app=web").evict();
    expect((await pod()).status).toMatchObject({ phase: "Failed", reason: "Evicted" });
    expect(conditions(await pod())["DisruptionTarget"]).toBe("True TerminationByKubelet");
  });

  it("stops the containers of a pod whose final phase another client wrote, and keeps the phase", async () => {
    const { cluster, pod, container } = await start({});
    await using _ = cluster;
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.subresource("status").patch("web", { type: "merge", patch: { status: { phase: "Failed" } } });
    await cluster.advance("1m");
    expect((await pod()).status?.phase).toBe("Failed");
    expect((await container()).state?.terminated).toBeDefined();
  });

  it("isn't ready before its readiness gates are", async () => {
    const { cluster, pod } = await start({ readinessGates: [{ conditionType: "example.com/lb" }] });
    await using _ = cluster;
    expect(conditions(await pod())).toMatchObject({ Ready: "False ReadinessGatesNotReady", ContainersReady: "True" });
    const pods = cluster.client.resource(Pod).namespace("default");
    const gate = { type: "example.com/lb", status: "True" };
    await pods.subresource("status").patch("web", { type: "strategic", patch: { status: { conditions: [gate] } } });
    await cluster.settled();
    expect(conditions(await pod())).toMatchObject({ Ready: "True", "example.com/lb": "True" });
  });
});
