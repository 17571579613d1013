// A kind of your own: the definition goes to the server, the types to the compiler.
import { defineKind } from "kubestream";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { connect } from "kubestream/node";

interface CronTabSpec {
  schedule: string;
  replicas?: number;
}

const CronTab = defineKind<CronTabSpec>()({
  group: "stable.example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  scope: "Namespaced",
});

const client = await connect();
const definitions = client.resource(CustomResourceDefinition);
await definitions.create({
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: CronTab.group,
    scope: CronTab.scope,
    names: { kind: CronTab.kind, plural: CronTab.plural },
    versions: [
      {
        name: CronTab.version,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["schedule"],
                properties: { schedule: { type: "string" }, replicas: { type: "integer" } },
              },
            },
          },
        },
      },
    ],
  },
});
for await (const event of definitions.watch({ fieldSelector: "metadata.name=crontabs.stable.example.com" })) {
  if (
    event.type !== "BOOKMARK" &&
    event.object.status?.conditions?.some(
      (condition) => condition.type === "Established" && condition.status === "True",
    )
  )
    break;
}

const crontabs = client.resource(CronTab).namespace("default");
await crontabs.create({ metadata: { name: "nightly" }, spec: { schedule: "0 3 * * *" } });
await crontabs.patch("nightly", { type: "merge", patch: { spec: { replicas: 2 } } });
for await (const crontab of crontabs.items())
  console.log(crontab.metadata?.name, crontab.spec?.schedule, crontab.spec?.replicas);
await definitions.delete("crontabs.stable.example.com");
await client.close();
