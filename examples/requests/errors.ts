// Error handling: provokes the common errors and distinguishes them.
import {
  ConfigError,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  StatusError,
  TransportError,
} from "kubestream";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

async function report(what: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
    console.log(what, "→ ok");
  } catch (error) {
    if (isNotFound(error)) console.log(what, "→ not found:", error.details?.name);
    else if (isAlreadyExists(error)) console.log(what, "→ already exists");
    else if (isConflict(error)) console.log(what, "→ conflict: the object was changed in the meantime");
    else if (isInvalid(error))
      console.log(what, "→ invalid:", error.details?.causes?.map((cause) => cause.field).join(", "));
    else if (error instanceof StatusError) console.log(what, "→ server error:", error.code, error.reason);
    else if (error instanceof TransportError) console.log(what, "→ no response:", error.code);
    else if (error instanceof ConfigError) console.log(what, "→ invalid configuration:", error.message);
    else if (error instanceof TypeError) console.log(what, "→ invalid argument, not sent:", error.message);
    else throw error;
  }
}

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
await report("get", () => maps.get("errors-example"));
await report("create", () => maps.create({ metadata: { name: "errors-example" } }));
await report("create again", () => maps.create({ metadata: { name: "errors-example" } }));
await report("create with a bad name", () => maps.create({ metadata: { name: "Errors_Example" } }));
await report("update of an old version", async () => {
  const old = await maps.get("errors-example");
  await maps.update({ ...old, data: { a: "1" } });
  await maps.update({ ...old, data: { a: "2" } });
});
await report("get of a path", async () => maps.get("../secrets/x"));
await report("unknown context", () => connect({ context: "no-such-context" }));
await maps.delete("errors-example");
await client.close();
