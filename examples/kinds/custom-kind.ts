// A custom kind: registers a CustomResourceDefinition on the server and gives its objects TypeScript types.
import { defineKind } from "kubestream";
import { hasCondition, waitFor } from "kubestream/cache";
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
// The server serves the kind once the definition is established.
await waitFor(definitions, "crontabs.stable.example.com", hasCondition("Established"), { timeoutMs: 10_000 });

const crontabs = client.resource(CronTab).namespace("default");
await crontabs.create({ metadata: { name: "nightly" }, spec: { schedule: "0 3 * * *" } });
await crontabs.patch("nightly", { type: "merge", patch: { spec: { replicas: 2 } } });
for await (const crontab of crontabs.items())
  console.log(crontab.metadata?.name, crontab.spec?.schedule, crontab.spec?.replicas);
await definitions.delete("crontabs.stable.example.com");
await client.close();
