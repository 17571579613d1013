import { describe, expect, it } from "vitest";
import { type ClusterView, renderCluster, renderEvent } from "../../../../src/cli/watch/cluster-view.js";
import { watchCluster } from "../../../../src/cli/watch/watch-cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { isAvailable } from "../../../../src/cluster/is-available.js";
import { Deployment } from "../../../../src/kinds/apps/v1.js";

const counts = { ready: 2, outdated: 0, starting: 1, failing: 0, stopping: 0, done: 0 };
const view: ClusterView = {
  url: "http://127.0.0.1:8080",
  nodes: [
    { name: "node-1", status: "Ready", pods: 2 },
    { name: "node-2", status: "Unknown", pods: 1 },
  ],
  workloads: [{ name: "default/web", image: "web:1", counts, total: 3 }],
  podCount: 3,
  events: [
    { timeMs: 0, type: "Normal", reason: "Started", object: "Pod/default/web-1", message: "Container started" },
    { timeMs: 1_000, type: "Warning", reason: "BackOff", object: "Pod/default/web-2", message: "Back-off\nrestarting" },
  ],
};

describe("renderCluster", () => {
  it("shows nodes, workloads with a cell per pod, and events", () => {
    expect(renderCluster(view, 100, 30)).toEqual([
      "http://127.0.0.1:8080    2 nodes    3 pods    Ctrl-C stops the cluster",
      "",
      "█ ready   ▒ outdated   ░ starting   × failing   · stopping   ○ done",
      "",
      "NODE                    STATUS                      PODS",
      "node-1                  Ready                       2",
      "node-2                  Unknown                     1",
      "",
      "WORKLOAD               READY    IMAGE          PODS",
      "default/web            2/3      web:1          ██░",
      "",
      "EVENTS",
      "00:00:00 Pod/default/web-1 Started: Container started",
      "00:00:01 Pod/default/web-2 Warning BackOff: Back-off restarting",
    ]);
  });

  it("replaces control characters in the texts of objects, which could command the terminal", () => {
    const text = "\u001b]0;title\u0007\u009b2J\r";
    const workloads = [{ ...view.workloads[0]!, image: text }];
    const events = [{ ...view.events[0]!, reason: text, object: text, message: `${text} ${text}` }];
    const lines = renderCluster({ ...view, workloads, events }, 200, 30).join("\n");
    expect(lines).not.toMatch(/[^\P{Cc}\n]/u);
    expect(lines.match(/\ufffd]0;title\ufffd\ufffd2J/g)).toHaveLength(5);
    expect(renderEvent(events[0]!)).not.toMatch(/\p{Cc}/u);
  });

  it.each([
    [24, 80],
    [12, 40],
    [5, 10],
    [60, 200],
  ])("fits %i lines of %i characters, counts what is left out, and keeps the newest event", (height, width) => {
    const many = <T>(item: (index: number) => T): T[] => Array.from({ length: 100 }, (_, index) => item(index));
    const full = {
      ...view,
      nodes: many((index) => ({ name: `node-${index}`, status: "Ready,SchedulingDisabled", pods: index })),
      workloads: many((index) => ({ name: `team/web-${index}`, image: "web:1", counts, total: 3 })),
      events: many((index) => ({ ...view.events[0]!, message: `number ${index}` })),
    };
    const lines = renderCluster(full, width, height);
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    if (height < 24) return;
    expect(lines.filter((line) => /^… and \d+ more (nodes|workloads)$/.test(line))).toHaveLength(2);
    expect(lines.at(-1)).toMatch(/: number 99$/);
  });
});

async function follow(output: {
  write(text: string): void;
  isTTY: boolean;
  columns: number;
  rows: number;
}): Promise<void> {
  await using cluster = await createCluster({ time: "virtual", seed: 1 });
  const watch = watchCluster(cluster.client, output, "http://127.0.0.1:8080");
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "web:1" }] },
  };
  await cluster.client
    .resource(Deployment)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template } });
  await cluster.until(Deployment, "default/web", isAvailable);
  await cluster.events();
  await watch.close();
}

describe("watchCluster", () => {
  it("prints a line for each event if the output isn't a terminal", async () => {
    let text = "";
    await follow({ write: (more) => void (text += more), isTTY: false, columns: 80, rows: 24 });
    expect(text).not.toContain("\u001b");
    expect(text).toContain(
      "00:00:00 Deployment/default/web ScalingReplicaSet: Scaled up replica set web-58b88c8b56 from 0 to 2\n",
    );
    expect(text.match(/ Started: Container started\n/g)).toHaveLength(2);
  });

  it("draws over a terminal, and shows again what was there when it's closed", async () => {
    let text = "";
    await follow({ write: (more) => void (text += more), isTTY: true, columns: 80, rows: 24 });
    expect(text.startsWith("\u001b[?1049h")).toBe(true);
    expect(text).toContain("http://127.0.0.1:8080");
    expect(text.endsWith("\u001b[?1049l")).toBe(true);
  });
});
