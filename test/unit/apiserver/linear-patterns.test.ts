import { expect, it } from "vitest";
import { addressProblem } from "../../../src/apiserver/objects/addresses.js";
import { hasFormat } from "../../../src/apiserver/objects/formats.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { parseDuration } from "../../../src/codec/protobuf/special.js";
import { trimEnd } from "../../../src/internal/trim-end.js";
import { formatYaml } from "../../../src/internal/yaml/yaml-writer.js";
import { formatQuantity, parseQuantity } from "../../../src/meta/quantity.js";

const many = 300_000;
const run = (character: string): string => `${character.repeat(many)}x`;

// A quadratic or exponential pattern would take minutes for each.
it("a run of slashes in a hostPath is validated in linear time", async () => {
  const server = createApiServer();
  const spec = {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Recycle",
    hostPath: { path: `${"/".repeat(100)}x` },
  };
  const body = JSON.stringify({ metadata: { name: "a" }, spec });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/api/v1/persistentvolumes", { method: "POST", headers, body });
  expect((await server.handle(request)).status).toBe(201);
  await server.close();
});

it("a certificate request without an end is refused in linear time", async () => {
  const server = createApiServer();
  const request = btoa("-----BEGIN CERTIFICATE REQUEST-----\n".repeat(20_000));
  const body = JSON.stringify({ metadata: { name: "a" }, spec: { request, signerName: "a.b/c", usages: ["any"] } });
  const path = "http://localhost/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const headers = { "content-type": "application/json" };
  expect((await server.handle(new Request(path, { method: "POST", headers, body }))).status).toBe(422);
  await server.close();
});

it.each([
  ["newlines in YAML", () => formatYaml({ a: run("\n") })],
  ["digits in an address", () => addressProblem(run("1"))],
  ["digits in the duration of a custom object", () => hasFormat(`${run("1")}`, "duration")],
  ["slashes before another character", () => trimEnd(run("/"), "/")],
  ["zeros in a negative quantity", () => formatQuantity(parseQuantity(`-1${"0".repeat(many)}`))],
  ["digits in the fraction of a duration", () => parseDuration(`0.${"1".repeat(many)}h`)],
])("%s take linear time", (_name, parse) => {
  parse();
});

it("digits that don't matter don't change a quantity", () => {
  expect(formatQuantity(parseQuantity(`${"0".repeat(200)}1.5${"0".repeat(200)}Gi`))).toBe("1536Mi");
  expect(formatQuantity(parseQuantity(`0.${"0".repeat(200)}5e201`))).toBe("5");
  expect(formatQuantity(parseQuantity(`1.${"0".repeat(200)}1`))).toBe("1000000001n");
  expect(formatQuantity(parseQuantity(`${"9".repeat(200)}Ki`))).toBe("9223372036854775807");
});
