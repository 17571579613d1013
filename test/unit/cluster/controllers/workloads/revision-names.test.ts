// Names that kube-controller-manager 1.36.3 gave to the ReplicaSets and ControllerRevisions of the same workloads.
import { expect, it } from "vitest";
import { createCluster } from "../../../../../src/cluster/index.js";
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from "../../../../../src/kinds/apps/v1.js";

const namespace = "default";

it("ReplicaSets and revisions of workloads have the names that kube-controller-manager gives them", async () => {
  await using cluster = await createCluster();
  const { client } = cluster;
  const labels = (app: string): { readonly app: string } => ({ app });
  await client
    .resource(Deployment)
    .namespace(namespace)
    .create({
      metadata: { name: "hash" },
      spec: {
        selector: { matchLabels: labels("hash") },
        template: {
          metadata: { labels: labels("hash"), annotations: { version: "3" } },
          spec: {
            containers: [{ name: "main", image: "web:1", resources: { limits: { cpu: "400m" } } }],
            nodeSelector: { a: "b" },
          },
        },
      },
    });
  await client
    .resource(DaemonSet)
    .namespace(namespace)
    .create({
      metadata: { name: "agent" },
      spec: {
        selector: { matchLabels: labels("agent") },
        template: {
          metadata: { labels: labels("agent") },
          spec: {
            tolerations: [{ operator: "Exists" }],
            securityContext: { runAsNonRoot: true, runAsUser: 5 },
            containers: [
              {
                name: "main",
                image: "agent:1",
                resources: { requests: { cpu: "1", memory: "100Ti" } },
                lifecycle: { preStop: { sleep: { seconds: 3 } } },
              },
            ],
          },
        },
      },
    });
  const sets = client.resource(StatefulSet).namespace(namespace);
  await sets.create({
    metadata: { name: "db" },
    spec: {
      serviceName: "db",
      selector: { matchLabels: labels("db") },
      template: {
        metadata: { labels: labels("db"), annotations: { version: "<3>" } },
        spec: {
          containers: [
            {
              name: "main",
              image: "db:1",
              command: ["a", "b"],
              args: ["&x"],
              env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
              resources: { limits: { cpu: "400m", memory: "1.5Gi" } },
              ports: [{ containerPort: 80 }],
              readinessProbe: { httpGet: { port: "http" } },
            },
          ],
          volumes: [
            { name: "x", emptyDir: { sizeLimit: "16Mi" } },
            { name: "yy", configMap: { name: "c" } },
          ],
        },
      },
    },
  });
  await cluster.settled();
  const patch = { spec: { template: { metadata: { annotations: { version: "4" } } } } };
  await sets.patch("db", { type: "merge", patch });
  await cluster.settled();
  const lists = [
    await client.resource(ReplicaSet).namespace(namespace).list(),
    await client.resource(ControllerRevision).namespace(namespace).list(),
  ];
  const names = lists.flatMap(({ items }) => items.map(({ metadata }) => metadata?.name));
  expect(names).toEqual(["hash-697ddd7cb7", "agent-5df54f6cfd", "db-5f7f5645cf", "db-6f658bcf68"]);
});
