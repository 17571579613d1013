// What can go wrong, and how to tell one from the other.
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

async function tell(what: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
    console.log(what, "went well");
  } catch (error) {
    if (isNotFound(error)) console.log(what, "→ not found:", error.details?.name);
    else if (isAlreadyExists(error)) console.log(what, "→ is there already");
    else if (isConflict(error)) console.log(what, "→ somebody was faster");
    else if (isInvalid(error))
      console.log(what, "→ invalid:", error.details?.causes?.map((cause) => cause.field).join(", "));
    else if (error instanceof StatusError) console.log(what, "→ refused:", error.code, error.reason);
    else if (error instanceof TransportError) console.log(what, "→ no answer:", error.code);
    else if (error instanceof ConfigError) console.log(what, "→ wrong configuration:", error.message);
    else if (error instanceof TypeError) console.log(what, "→ never sent:", error.message);
    else throw error;
  }
}

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
await tell("get", () => maps.get("errors-example"));
await tell("create", () => maps.create({ metadata: { name: "errors-example" } }));
await tell("create again", () => maps.create({ metadata: { name: "errors-example" } }));
await tell("create with a bad name", () => maps.create({ metadata: { name: "Errors_Example" } }));
await tell("update of an old version", async () => {
  const old = await maps.get("errors-example");
  await maps.update({ ...old, data: { a: "1" } });
  await maps.update({ ...old, data: { a: "2" } });
});
await tell("get of a path", async () => maps.get("../secrets/x"));
await tell("unknown context", () => connect({ context: "no-such-context" }));
await maps.delete("errors-example");
await client.close();
