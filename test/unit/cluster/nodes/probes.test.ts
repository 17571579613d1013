import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScript } from "../../../../src/cluster/nodes/containers/images.js";
import { type Container, type ContainerStatus, Event, Pod } from "../../../../src/kinds/core/v1.js";

const httpGet = { path: "/", port: 80 };

async function start(container: Partial<Container>, image: ImageScript = {}, grace = 30) {
  const cluster = await createCluster({ time: "virtual", seed: 1, images: { "web:*": image }, controllers: [] });
  const pods = cluster.client.resource(Pod).namespace("default");
  const containers = [{ name: "main", image: "web:1", ...container }];
  await pods.create({ metadata: { name: "web" }, spec: { containers, terminationGracePeriodSeconds: grace } });
  await cluster.settled();
  const status = async (): Promise<ContainerStatus> => (await pods.get("web")).status!.containerStatuses![0]!;
  return { cluster, pods, status };
}

async function notes(cluster: Cluster): Promise<string[]> {
  const { items } = await cluster.client.resource(Event).list();
  return items.map(({ reason, message }) => `${reason}: ${message}`);
}

describe("probes of a simulated container", () => {
  it("a readiness probe decides whether a container is ready, by its delay and thresholds", async () => {
    let healthy = true;
    const readinessProbe = {
      httpGet,
      initialDelaySeconds: 5,
      periodSeconds: 2,
      successThreshold: 2,
      failureThreshold: 3,
    };
    const { cluster, status } = await start({ readinessProbe }, { probe: () => healthy || "HTTP 500" });
    await using _ = cluster;
    expect(await status()).toMatchObject({ started: true, ready: false });
    await cluster.advance("6s");
    expect((await status()).ready).toBe(false);
    await cluster.advance("1s");
    expect((await status()).ready).toBe(true);
    healthy = false;
    await cluster.advance("4s");
    expect((await status()).ready).toBe(true);
    await cluster.advance("2s");
    expect((await status()).ready).toBe(false);
    expect(await notes(cluster)).toContain("Unhealthy: Readiness probe failed: HTTP 500");
    healthy = true;
    await cluster.advance("4s");
    expect((await status()).ready).toBe(true);
  });

  it("a liveness probe that fails three times restarts the container", async () => {
    const livenessProbe = { httpGet, periodSeconds: 10 };
    const { cluster, status } = await start({ livenessProbe }, { probe: ({ runningMs }) => runningMs < 25_000 });
    await using _ = cluster;
    await cluster.advance("45s");
    expect((await status()).restartCount).toBe(0);
    await cluster.advance("10s");
    expect(await status()).toMatchObject({ restartCount: 1, ready: true });
    expect(await notes(cluster)).toContain("Killing: Container main failed liveness probe, will be restarted");
  });

  it("a startup probe holds up the other probes, and restarts a container that doesn't start", async () => {
    const types: string[] = [];
    const probe: ImageScript["probe"] = ({ type, runningMs }) => {
      types.push(type);
      return runningMs >= 25_000;
    };
    const startupProbe = { httpGet, periodSeconds: 10, failureThreshold: 2 };
    const { cluster, status } = await start({ startupProbe, readinessProbe: { httpGet } }, { probe });
    await using _ = cluster;
    await cluster.advance("8s");
    expect(await status()).toMatchObject({ started: false, ready: false, restartCount: 0 });
    await cluster.advance("4s");
    expect((await status()).restartCount).toBe(1);
    expect(new Set(types)).toEqual(new Set(["startup"]));
    expect(await notes(cluster)).toContain("Killing: Container main failed startup probe, will be restarted");
  });

  it("a probe with a command runs the image's commands", async () => {
    const seen: unknown[] = [];
    const { cluster, status } = await start(
      { readinessProbe: { exec: { command: ["check", "db"] }, failureThreshold: 1 } },
      {
        exec({ args, stderr }) {
          seen.push(args);
          stderr.write("no database");
          return 1;
        },
      },
    );
    await using _ = cluster;
    expect(seen).toEqual([["check", "db"]]);
    expect((await status()).ready).toBe(false);
    expect(await notes(cluster)).toContain("Unhealthy: Readiness probe failed: no database");
  });

  it("a test can let the probes of a pod fail and succeed", async () => {
    const { cluster, status } = await start({ readinessProbe: { httpGet, periodSeconds: 1, failureThreshold: 1 } });
    await using _ = cluster;
    expect((await status()).ready).toBe(true);
    await cluster.pods({ name: "web" }).failProbe("readiness", "HTTP 503");
    await cluster.advance("1s");
    expect((await status()).ready).toBe(false);
    await cluster.pods({ name: "web" }).passProbe("readiness");
    await cluster.advance("1s");
    expect((await status()).ready).toBe(true);
  });
});

describe("termination of a simulated pod", () => {
  it("gives the process its grace period, and kills it with 137 afterwards", async () => {
    let stopped = 0;
    const run: ImageScript["run"] = async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      stopped++;
      await new Promise(() => undefined);
    };
    const { cluster, pods, status } = await start({}, { run }, 20);
    await using _ = cluster;
    await pods.delete("web");
    await cluster.advance("19s");
    expect(stopped).toBe(1);
    expect((await pods.get("web")).metadata?.deletionGracePeriodSeconds).toBe(20);
    expect((await status()).state?.running).toBeDefined();
    const codes: unknown[] = [];
    const watch = pods.watch();
    const reading = (async () => {
      for await (const event of watch)
        if (event.type !== "BOOKMARK")
          codes.push([event.type, event.object.status?.containerStatuses?.[0]?.state?.terminated?.exitCode]);
    })();
    await cluster.advance("2s");
    await watch.return();
    await reading;
    expect(codes).toContainEqual(["MODIFIED", 137]);
    expect(codes.at(-1)).toEqual(["DELETED", 137]);
  });

  it("runs the hook preStop before it stops the process", async () => {
    const order: string[] = [];
    const { cluster, pods } = await start(
      { lifecycle: { preStop: { exec: { command: ["drain"] } }, postStart: { exec: { command: ["warm-up"] } } } },
      {
        exec: ({ args }) => void order.push(args[0]!),
        async run({ signal }) {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          order.push("stopped");
        },
      },
    );
    await using _ = cluster;
    await pods.delete("web");
    await cluster.settled();
    expect(order).toEqual(["warm-up", "drain", "stopped"]);
    expect((await pods.list()).items).toEqual([]);
  });

  it("restarts a container whose hook postStart fails", async () => {
    const { cluster, status } = await start(
      { lifecycle: { postStart: { exec: { command: ["warm-up"] } } } },
      { exec: () => 1 },
    );
    await using _ = cluster;
    await cluster.advance("5s");
    expect((await status()).restartCount).toBe(1);
    expect(await notes(cluster)).toContain("FailedPostStartHook: PostStartHook failed");
  });
});
