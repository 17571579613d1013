import { parseArgs } from "node:util";
import { connect } from "kubestream/node";
import { applyFolder, describeOutcome } from "./apply.js";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string", default: "my-app" },
    namespace: { type: "string", default: "default" },
    "dry-run": { type: "boolean", default: false },
    force: { type: "boolean", default: false },
  },
});
const client = await connect();
const { set, namespace, force, "dry-run": dryRun } = values;
const outcomes = await applyFolder({ client, folder: positionals[0] ?? ".", set, namespace, force, dryRun });
for (const outcome of outcomes) console.log(describeOutcome(outcome, dryRun));
if (outcomes.some(({ outcome }) => outcome === "failed")) process.exitCode = 1;
await client.close();
