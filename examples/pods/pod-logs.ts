// Logs of many pods in one loop: a container is followed over its restart, and a new pod joins in.
import { createCluster } from "kubestream/cluster";
import { Pod } from "kubestream/kinds/core/v1";
import { followPodLogs, formatPodLogLine } from "kubestream/streams";

await using cluster = await createCluster({
  images: {
    "shop:*": {
      run: async ({ stdout, sleep, restartCount }) => {
        stdout.write(`run ${restartCount} begins\n`);
        await sleep("1h");
      },
    },
  },
});
const create = (name: string): Promise<Pod> =>
  cluster.client
    .resource(Pod)
    .namespace("default")
    .create({
      metadata: { name, labels: { app: "shop" } },
      spec: { containers: [{ name: "main", image: "shop:1" }] },
    });
await create("shop-a");

for await (const line of followPodLogs(cluster.client, { namespace: "default", labelSelector: "app=shop" })) {
  // `colors: true` is for terminals. In a page, the number picks a color: `hsl(${line.color * 30} 70% 40%)`.
  console.log(formatPodLogLine(line, { colors: false }));
  if (line.pod === "shop-b") break;
  if (line.text === "run 0 begins") await cluster.pods({ namespace: "default", name: "shop-a" }).crash();
  else await create("shop-b");
}
