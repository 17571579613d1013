// Requests made by `openssl req`. A kube-apiserver 1.36 answers with the same statuses.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { formatPemBlock } from "../../../../src/internal/der.js";
import { sendJson } from "../../../support/send-json.js";

const schemes = JSON.parse(
  readFileSync(new URL("../../../golden/certificate-requests/schemes.json", import.meta.url), "utf8"),
) as Readonly<Record<string, string>>;
const unsupported = ["RSA with MD5", "RSA-PSS with a short salt", "secp256k1"];
const supported = Object.keys(schemes).filter((name) => !unsupported.includes(name));

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

/** Sends a request in DER. Returns the status and the fields with an error. */
async function request(der: Uint8Array, usage = "client auth"): Promise<readonly [status: number, fields: string[]]> {
  const { status, body } = await sendJson<{ details?: { causes: { field: string }[] } }>(server, {
    method: "POST",
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All",
    body: {
      metadata: { name: "x" },
      spec: { request: btoa(formatPemBlock(der, "CERTIFICATE REQUEST")), signerName: "e.com/s", usages: [usage] },
    },
  });
  return [status, (body.details?.causes ?? []).map(({ field }) => field)];
}

const derOf = (scheme: string): Buffer => Buffer.from(schemes[scheme]!, "base64");
/** Returns a request with one changed bit, counted from its end. */
function damaged(scheme: string, fromEnd: number): Buffer {
  const bytes = derOf(scheme);
  bytes[bytes.length - fromEnd]! ^= 1;
  return bytes;
}
const refused = [422, ["spec.request"]] as const;

describe("the signature of a certificate signing request", () => {
  it.each(supported)("by %s is verified", async (scheme) => {
    expect(await request(derOf(scheme))).toEqual([201, []]);
    expect(await request(damaged(scheme, 3))).toEqual(refused);
  });

  it.each(unsupported)("by %s is refused", async (scheme) => {
    expect(await request(derOf(scheme))).toEqual(refused);
  });

  it("protects the subject", async () => {
    const bytes = derOf("Ed25519");
    const name = bytes.indexOf(Buffer.from([0x55, 4, 3]));
    bytes[name + 5]! ^= 2;
    expect(await request(bytes)).toEqual(refused);
  });

  it("is checked along with all other fields", async () => {
    expect(await request(damaged("Ed25519", 3), "x")).toEqual([422, ["spec.usages[0]", "spec.request"]]);
  });

  it("is the end of the request", async () => {
    expect(await request(Buffer.concat([derOf("Ed25519"), Buffer.of(5, 0)]))).toEqual(refused);
  });
});
