import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

const program = `
  import { cbor } from "./src/codec/cbor/cbor.ts";
  import { json } from "./src/codec/json/json.ts";
  import { protobuf } from "./src/codec/protobuf/protobuf.ts";
  let refused = false;
  try {
    Function("return 1")();
  } catch {
    refused = true;
  }
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers: [{ name: "c", resources: {} }] }, status: {} };
  const seen = [json(), cbor(), protobuf()].map((codec) => codec.decode(codec.encode(pod), { lazy: true }));
  console.log(JSON.stringify([refused, ...seen.map((object) => object.spec.containers[0].name)]));
`;

it("all codecs work under a Content Security Policy that forbids code generation", () => {
  const output = execFileSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", "--import", "tsx", "--input-type=module", "--eval", program],
    { encoding: "utf8", cwd: new URL("../../..", import.meta.url) },
  );
  expect(JSON.parse(output)).toEqual([true, "c", "c", "c"]);
}, 180_000);
