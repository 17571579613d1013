import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { Job } from "../../../../src/kinds/batch/v1.js";
import { Pod, type PodSpec, Service } from "../../../../src/kinds/core/v1.js";
import { logLines } from "../../../../src/streams/logs.js";

async function phaseAfter(cluster: Cluster, duration: string): Promise<Record<string, string | undefined>> {
  await cluster.advance(duration);
  const { items } = await cluster.client.resource(Pod).namespace("default").list();
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata!.labels!["case"], status?.phase]));
}

describe("a container without a script", () => {
  const commands: Readonly<Record<string, readonly [string[], number | undefined]>> = {
    none: [[], 0],
    true: [["true"], 0],
    false: [["/bin/false"], 1],
    exit: [["/bin/sh", "-c", "sleep 1; exit 3"], 3],
    unknown: [["sh", "-c", "test -e /done && exit 7"], 0],
    server: [["./worker", "--forever"], 0],
    long: [["sleep", "1000"], undefined],
    pause: [[], undefined],
  };

  const images: Readonly<Record<string, string>> = { pause: "registry.k8s.io/pause:3.10" };

  it("ends in a pod of a Job as its command says, after others in a second with 0", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    for (const [name, [command]] of Object.entries(commands)) {
      const spec: PodSpec = {
        restartPolicy: "Never",
        containers: [{ name: "main", image: images[name] ?? "tool:1", command }],
      };
      const template = { metadata: { labels: { case: name } }, spec };
      await cluster.client
        .resource(Job)
        .namespace("default")
        .create({ metadata: { name }, spec: { template, backoffLimit: 0 } });
    }
    const expected = Object.entries(commands).map(([name, [, code]]) => [
      name,
      code === undefined ? "Running" : code === 0 ? "Succeeded" : "Failed",
    ]);
    expect(await phaseAfter(cluster, "5s")).toEqual(Object.fromEntries(expected));
    const { items } = await cluster.client.resource(Pod).namespace("default").list({ labelSelector: "case=exit" });
    expect(items[0]?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    expect(await phaseAfter(cluster, "1000s")).toMatchObject({ long: "Succeeded" });
  });

  it("stays up in other pods, once the init containers have ended", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const containers = [{ name: "main", image: "web:1", command: ["./server"] }];
    const initContainers = [
      { name: "prepare", image: "tool:1", command: ["sh", "-c", "sleep 30"] },
      { name: "proxy", image: "proxy:1", restartPolicy: "Always" as const },
    ];
    await cluster.client
      .resource(Pod)
      .namespace("default")
      .create({ metadata: { name: "web", labels: { case: "web" } }, spec: { initContainers, containers } });
    expect(await phaseAfter(cluster, "20s")).toEqual({ web: "Pending" });
    expect(await phaseAfter(cluster, "1h")).toEqual({ web: "Running" });
  });

  it("runs a common command in any pod, and writes its output to the log", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const pods = cluster.client.resource(Pod).namespace("default");
    const rows: readonly [name: string, spec: Partial<PodSpec>, args: string[]][] = [
      ["echo", { restartPolicy: "Never" }, ["echo", "hello"]],
      ["crash", {}, ["sh", "-c", "echo failing; exit 3"]],
      ["sleep", { restartPolicy: "OnFailure" }, ["sleep", "1m", "30"]],
      ["forever", { restartPolicy: "Never" }, ["sleep", "infinity"]],
      ["refused", { restartPolicy: "Never" }, ["sleep", "soon"]],
      ["loop", { restartPolicy: "Never" }, ["sh", "-c", "while true; do sleep 1; done"]],
    ];
    for (const [name, spec, args] of rows)
      await pods.create({
        metadata: { name, labels: { case: name } },
        spec: { ...spec, containers: [{ name: "main", image: "busybox:1", args }] },
      });
    const soon = { echo: "Succeeded", crash: "Running", forever: "Running", refused: "Failed", loop: "Running" };
    expect(await phaseAfter(cluster, "80s")).toEqual({ ...soon, sleep: "Running" });
    expect(await phaseAfter(cluster, "10m")).toEqual({ ...soon, sleep: "Succeeded" });
    const { status } = await pods.get("crash");
    expect(status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 3, reason: "Error" });
    const lines: string[] = [];
    for (const name of ["echo", "crash", "refused"])
      for await (const line of await logLines(cluster.client, { namespace: "default", name })) lines.push(line);
    expect(lines).toEqual(["hello", "failing", "sleep: invalid time interval 'soon'"]);
  });

  it("has the variables of its container and of Services, and its host's name", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1 });
    const services = cluster.client.resource(Service).namespace("default");
    const { spec } = await services.create({ metadata: { name: "my-db" }, spec: { ports: [{ port: 5432 }] } });
    await cluster.settled();
    const pods = cluster.client.resource(Pod).namespace("default");
    const env = [
      { name: "COLOUR", value: "blue" },
      { name: "DB", value: "$(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT)" },
    ];
    const script = "echo $COLOUR $DB $HOSTNAME $KUBERNETES_SERVICE_PORT";
    const create = async (name: string, enableServiceLinks: boolean): Promise<void> => {
      const containers = [{ name: "main", image: "busybox:1", command: ["sh", "-c", script], env }];
      await pods.create({ metadata: { name }, spec: { restartPolicy: "Never", enableServiceLinks, containers } });
    };
    await create("linked", true);
    await create("alone", false);
    await cluster.advance("2s");
    const lines: string[] = [];
    for (const name of ["linked", "alone"])
      for await (const line of await logLines(cluster.client, { namespace: "default", name })) lines.push(line);
    expect(lines).toEqual([
      `blue ${spec!.clusterIP}:5432 linked 443`,
      "blue $(MY_DB_SERVICE_HOST):$(MY_DB_SERVICE_PORT) alone 443",
    ]);
  });
});
