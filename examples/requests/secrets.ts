// Secrets: write text, read base64, and make one immutable.
import { isInvalid } from "kubestream";
import { Secret } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const secrets = client.resource(Secret).namespace("default");

// `stringData` takes text, which the server moves to `data` in base64.
await secrets.create({ metadata: { name: "login" }, stringData: { user: "jane", password: "pässwörd" } });
const { data = {}, type } = await secrets.get("login");
console.log(type, Object.keys(data).sort());
console.log(new TextDecoder().decode(Buffer.from(data["password"] ?? "", "base64")).length, "characters");

await secrets.patch("login", { type: "merge", patch: { immutable: true } });
try {
  await secrets.patch("login", { type: "merge", patch: { stringData: { password: "other" } } });
} catch (error) {
  if (!isInvalid(error)) throw error;
  console.log(error.status.details?.causes?.[0]?.message);
}
await secrets.delete("login");
await client.close();
