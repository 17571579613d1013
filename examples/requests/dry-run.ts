// Dry run and field validation: the server checks a write in full and stores nothing.
import { isBadRequest, withDryRun, withFieldValidation } from "kubestream";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
// Every write through this client is a dry run that fails on unknown and duplicate fields.
const checking = withFieldValidation(withDryRun(client), "Strict");
const checked = checking.resource(ConfigMap).namespace("default");

const object = await checked.create({ metadata: { name: "planned" }, data: { colour: "blue" } });
console.log("would create", object.metadata?.name, "with uid", object.metadata?.uid !== undefined);
console.log("stored:", await client.resource(ConfigMap).namespace("default").getOptional("planned"));

const mistyped = { metadata: { name: "planned" }, dat: { colour: "blue" } };
try {
  await checked.create(mistyped);
} catch (error) {
  if (!isBadRequest(error)) throw error;
  console.log(error.status.message);
}

// With "Warn", the write succeeds and the server sends a warning.
const options = { dryRun: "All", fieldValidation: "Warn" } as const;
await client
  .resource(ConfigMap)
  .namespace("default")
  .create(mistyped, { ...options, onWarning: ({ text }) => console.log("warning:", text) });
await client.close();
