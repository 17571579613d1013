import { der, derInteger, derObjectId, derTag } from "../../internal/der.js";
import { keyAlgorithm, owned, rsaKey } from "../../internal/signatures.js";

/** A private key, and the identifier of its signatures in certificates. */
export interface SigningKey {
  readonly identifier: Uint8Array;
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Imports a private key (PKCS #8, EC or RSA). Rejects with a `RangeError` for another kind of key. */
export async function importSigningKey(privateKey: Uint8Array): Promise<SigningKey> {
  const { algorithm, curve } = keyAlgorithm(privateKey);
  if (algorithm === rsaKey) {
    const parameters = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("pkcs8", owned(privateKey), parameters, false, ["sign"]);
    const identifier = der(derTag.sequence, derObjectId("1.2.840.113549.1.1.11"), der(0x05));
    return {
      identifier,
      sign: async (bytes) => new Uint8Array(await crypto.subtle.sign(parameters.name, key, owned(bytes))),
    };
  }
  if (curve === undefined) throw new RangeError("the signer's key must be an EC or RSA key in PKCS #8");
  const parameters = { name: "ECDSA", namedCurve: curve.name };
  return ecdsaKey(await crypto.subtle.importKey("pkcs8", owned(privateKey), parameters, false, ["sign"]));
}

/** Returns an ECDSA key as a signing key. */
export function ecdsaKey(key: CryptoKey): SigningKey {
  return {
    identifier: der(derTag.sequence, derObjectId("1.2.840.10045.4.3.2")),
    async sign(bytes) {
      const raw = new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key, owned(bytes)));
      const half = raw.length / 2;
      return der(derTag.sequence, derInteger(raw.subarray(0, half)), derInteger(raw.subarray(half)));
    },
  };
}
