import { generateKeyPairSync, sign } from "node:crypto";
import { der, derInteger, derObjectId, derTag, formatPemBlock } from "../../src/internal/der.js";

const utf8String = 0x0c;
/** Tag of the attributes of a request. */
const attributes = 0xa0;
const commonName = "2.5.4.3";
const organization = "2.5.4.10";
const ecdsaWithSha256 = "1.2.840.10045.4.3.2";

/** Creates a private key of P-256 and a certificate request for a user, both in PEM. */
export function createCertificateRequest(
  user: string,
  groups: readonly string[] = [],
): { key: string; request: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const named = (type: string, text: string): Uint8Array =>
    der(derTag.set, der(derTag.sequence, derObjectId(type), der(utf8String, Buffer.from(text))));
  const subject = der(derTag.sequence, ...groups.map((group) => named(organization, group)), named(commonName, user));
  const spki = publicKey.export({ type: "spki", format: "der" });
  const signed = der(derTag.sequence, derInteger(Uint8Array.of(0)), subject, spki, der(attributes));
  const signature = sign("sha256", signed, privateKey);
  const algorithm = der(derTag.sequence, derObjectId(ecdsaWithSha256));
  const whole = der(derTag.sequence, signed, algorithm, der(derTag.bitString, Uint8Array.of(0), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    request: formatPemBlock(whole, "CERTIFICATE REQUEST"),
  };
}
