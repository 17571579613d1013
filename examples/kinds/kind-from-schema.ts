// A kind and its CustomResourceDefinition from one zod schema: types, defaults, CEL rules, columns and a status.
import { isInvalid } from "kubestream";
import { applyManifests } from "kubestream/manifests";
import { connect } from "kubestream/node";
import { defineKindFromSchema, validateObject } from "kubestream/objects";
import { z } from "zod";

const Backup = defineKindFromSchema({
  group: "storage.example.com",
  version: "v1",
  kind: "Backup",
  plural: "backups",
  scope: "Namespaced",
  schema: z.object({
    spec: z.object({
      schedule: z.string().min(1).describe("Time of the backups as a cron expression."),
      database: z.string(),
      keep: z.int().min(1).default(7),
    }),
    status: z.object({ lastRun: z.iso.datetime().optional() }).optional(),
  }),
  rules: { spec: [{ rule: "self.database == oldSelf.database", message: "database is immutable" }] },
  columns: [{ name: "Schedule", type: "string", jsonPath: ".spec.schedule" }],
});

const client = await connect();
await applyManifests(client, [Backup.definition], { fieldManager: "installer" });

const backups = client.resource(Backup).namespace("web");
const nightly = await backups.create({
  metadata: { name: "nightly" },
  spec: { schedule: "0 3 * * *", database: "main" },
});
console.log("filled in by the server:", nightly.spec.keep);

for (const spec of [{ keep: 0 }, { database: "other" }])
  try {
    await backups.patch("nightly", { type: "merge", patch: { spec } });
  } catch (error) {
    if (!isInvalid(error)) throw error;
    console.log(error.status.message);
  }

const lastRun = "2030-01-01T03:00:00Z";
await backups.subresource("status").patch("nightly", { type: "merge", patch: { status: { lastRun } } });
// The same schema validates and converts objects in the program.
console.log((await validateObject(Backup, await backups.get("nightly"))).status);
const { items } = await backups.asTable().list();
console.log(items[0]?.cells.slice(0, 2));

await client.close();
