import { describe, expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScript } from "../../../../src/cluster/nodes/containers/images.js";
import { Pod } from "../../../../src/kinds/core/v1.js";
import { logLines, logs } from "../../../../src/streams/logs.js";

const target = { namespace: "default", name: "web" };

async function start(image: ImageScript) {
  const cluster = await createCluster({ time: "virtual", seed: 1, images: { "web:*": image }, controllers: [] });
  const containers = [{ name: "main", image: "web:1" }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { containers } });
  await cluster.settled();
  const read = async (options: Parameters<typeof logLines>[2] = {}): Promise<string[]> => {
    const lines: string[] = [];
    for await (const line of await logLines(cluster.client, target, options)) lines.push(line);
    return lines;
  };
  return { cluster, read };
}

describe("log of a simulated container", () => {
  const run: ImageScript["run"] = async ({ stdout, stderr, sleep, restartCount }) => {
    stdout.write(`run ${restartCount}\n`);
    await sleep("10s");
    stderr.write("warning\nhalf ");
    stderr.write("a line\n");
    await sleep("10s");
    stdout.write("no line break");
    return 1;
  };

  it("has the lines of both streams, also of the run before", async () => {
    const { cluster, read } = await start({ run });
    await using _ = cluster;
    expect(await read()).toEqual(["run 0"]);
    await expect(read({ previous: true })).rejects.toThrow(
      /previous terminated container "main" in pod "web" not found/,
    );
    await cluster.advance("30s");
    expect(await read()).toEqual(["run 1"]);
    expect(await read({ previous: true })).toEqual(["run 0", "warning", "half a line", "no line break"]);
  });

  it("can be limited by lines, age and bytes, and shows times", async () => {
    const { cluster, read } = await start({ run });
    await using _ = cluster;
    await cluster.advance("15s");
    expect(await read({ tailLines: 1 })).toEqual(["half a line"]);
    expect(await read({ sinceSeconds: 6 })).toEqual(["warning", "half a line"]);
    expect(await read({ limitBytes: 7 })).toEqual(["run 0", "w"]);
    expect(await read({ tailLines: 1, timestamps: true })).toEqual(["2026-01-01T00:00:10.000000000Z half a line"]);
  });

  it("can be followed until the container ends", async () => {
    const { cluster, read } = await start({ run });
    await using _ = cluster;
    const following = read({ follow: true });
    await cluster.advance("20s");
    expect(await following).toEqual(["run 0", "warning", "half a line", "no line break"]);
  });

  it("doesn't exist before the container", async () => {
    const { cluster } = await start({ pull: "1m" });
    await using _ = cluster;
    await expect(logs(cluster.client, target)).rejects.toThrow(
      /container "main" in pod "web" is waiting to start: ContainerCreating/,
    );
  });

  it("can't be read from a node that is cut off", async () => {
    const { cluster, read } = await start({ run });
    await using _ = cluster;
    await cluster.nodes("node-1").partition();
    await expect(read()).rejects.toThrow(/no kubelet is reachable on node "node-1"/);
  });
});
