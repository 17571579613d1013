// kubectl's commands for workloads, nodes and containers on a cluster in this process, in the order of a working day.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cluster } from "../../src/cluster/cluster.js";
import { createCluster } from "../../src/cluster/create-cluster.js";
import { missing } from "./cluster.js";
import { type KubectlServer, runKubectl, serveForKubectl } from "./kubectl.js";
import { describeContainerCommands, shellImage } from "./kubectl-containers.js";
import { findKubectl } from "./real-apiserver.js";

const kubectl = findKubectl();
const reason = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);
if (reason !== undefined) console.log(`kubectl on a cluster: skipped: ${reason}`);

describe.skipIf(reason !== undefined)("kubectl on a cluster in the process", () => {
  let cluster: Cluster;
  let served: KubectlServer;

  beforeAll(async () => {
    served = await serveForKubectl(async (server) => {
      const images = {
        ...shellImage(),
        "web:*": {
          async run({ stdout, signal }: { stdout: { write(text: string): void }; signal: AbortSignal }) {
            stdout.write("serving\n");
            await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
            stdout.write("stopped\n");
          },
          usage: { cpu: "90m", memory: "32Mi" },
        },
      };
      cluster = await createCluster({ nodes: 2, images, server });
      return cluster.server;
    });
    // Controllers start with their first objects, and stay until the cluster ends.
    await run("create", "deployment", "first", "--image=web:1");
    await run("create", "poddisruptionbudget", "first", "--selector=app=first", "--min-available=1");
    await run("autoscale", "deployment/first", "--max=2");
    await run("rollout", "status", "deployment/first");
    await run("delete", "deployment/first", "poddisruptionbudget/first", "horizontalpodautoscaler/first");
    await run("wait", "pod", "-l", "app=first", "--for=delete");
  });
  afterAll(async () => {
    await cluster?.close();
    await served?.close();
  });

  async function run(...words: string[]): Promise<string> {
    const { code, out, err } = await runKubectl(kubectl!, served.kubeconfig, served.folder, words);
    if (code !== 0) throw new Error(`kubectl ${words.join(" ")} ended with ${code}: ${err}${out}`);
    return out;
  }

  it("creates and scales a Deployment, and waits for both", async () => {
    await run("create", "deployment", "web", "--image=web:1", "--replicas=2");
    expect(await run("rollout", "status", "deployment/web")).toContain("successfully rolled out");
    await run("scale", "deployment/web", "--replicas=3");
    expect(await run("wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=3")).toContain("condition met");
    expect(await run("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].status.phase}")).toBe(
      "Running Running Running",
    );
  });

  it("reads logs, runs commands and adds a debug container", async () => {
    expect(await run("logs", "deployment/web")).toBe("serving\n");
    const pod = (await run("get", "pods", "-o", "name")).split("\n")[0]!;
    expect(await run("exec", pod, "--", "hostname")).toBe(`${pod.slice("pod/".length)}\n`);
    await run("debug", pod, "--image=tools:1", "--container=tools");
    await run("wait", pod, "--for=jsonpath={.status.ephemeralContainerStatuses[0].state.running}");
  });

  it("restarts, undoes, pauses and resumes a rollout", async () => {
    await run("set", "image", "deployment/web", "*=web:2");
    await run("rollout", "status", "deployment/web");
    await run("rollout", "undo", "deployment/web");
    await run("rollout", "status", "deployment/web");
    const image = "jsonpath={.spec.template.spec.containers[0].image}";
    expect(await run("get", "deployment", "web", "-o", image)).toBe("web:1");
    await run("rollout", "restart", "deployment/web");
    expect(await run("rollout", "status", "deployment/web")).toContain("successfully rolled out");
    expect((await run("rollout", "history", "deployment/web")).trim().split("\n").slice(2)).toHaveLength(3);
    await run("rollout", "pause", "deployment/web");
    await run("set", "image", "deployment/web", "*=web:3");
    await run("rollout", "resume", "deployment/web");
    await run("rollout", "status", "deployment/web");
    expect(
      await run("get", "replicasets", "-o", "jsonpath={.items[*].spec.template.spec.containers[0].image}"),
    ).toContain("web:3");
  });

  it("drains a node within a disruption budget, and lets pods return", async () => {
    await run("create", "poddisruptionbudget", "web", "--selector=app=web", "--max-unavailable=1");
    expect(await run("drain", "node-1", "--ignore-daemonsets")).toContain("node/node-1 drained");
    const nodes = await run("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}");
    expect(new Set(nodes.split(" "))).toEqual(new Set(["node-2"]));
    await run("uncordon", "node-1");
    expect(await run("get", "node", "node-1", "--no-headers")).toMatch(/^node-1 +Ready /);
  });

  it("shows usage, and scales by it", async () => {
    expect(await run("top", "pods", "-l", "app=web", "--no-headers")).toMatch(/^web-\S+ +90m +32Mi/);
    expect(await run("top", "nodes", "--no-headers")).toMatch(/^node-1 /);
    await run("set", "resources", "deployment/web", "--requests=cpu=100m");
    await run("rollout", "status", "deployment/web");
    await run("autoscale", "deployment/web", "--min=1", "--max=5", "--cpu=50%");
    // A pod's usage counts once it has been ready for a while.
    await cluster.advance("2m");
    expect(await run("get", "deployment", "web", "-o", "jsonpath={.spec.replicas}")).toBe("5");
  });

  describeContainerCommands({
    kubectl: kubectl!,
    kubeconfig: () => served.kubeconfig,
    namespace: () => "default",
  });

  it("lists what happened", async () => {
    const events = await run("events", "--for", "deployment/web");
    expect(events).toContain("ScalingReplicaSet");
    expect(await run("events", "--for", "hpa/web")).toContain("SuccessfulRescale");
    expect(await run("describe", "deployment", "web")).toContain("NewReplicaSetAvailable");
  });
});
