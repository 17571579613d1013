import { concatBytes, copyBytes } from "../../internal/bytes.js";
import { der, derBody, derElements, derInteger, derObjectId, derTag, readObjectId } from "../../internal/der.js";

type Bytes = Uint8Array<ArrayBuffer>;

const curves: Readonly<Record<string, { readonly name: string; readonly size: number }>> = {
  "1.2.840.10045.3.1.7": { name: "P-256", size: 32 },
  "1.3.132.0.34": { name: "P-384", size: 48 },
  "1.3.132.0.35": { name: "P-521", size: 66 },
};
const hashes: Readonly<Record<string, string>> = {
  "1.2.840.10045.4.3.2": "SHA-256",
  "1.2.840.10045.4.3.3": "SHA-384",
  "1.2.840.10045.4.3.4": "SHA-512",
  "1.2.840.113549.1.1.11": "SHA-256",
  "1.2.840.113549.1.1.12": "SHA-384",
  "1.2.840.113549.1.1.13": "SHA-512",
};
const rsa = "1.2.840.113549.1.1.1";
const ed25519 = "1.3.101.112";

/** Returns the bytes as an array with a buffer of its own, for WebCrypto. */
export function owned(bytes: Uint8Array): Bytes {
  return copyBytes(bytes) as Bytes;
}

/** Returns the algorithm and the curve of an encoded public key, or of a private one (PKCS #8). */
function keyAlgorithm(key: Uint8Array): { algorithm: string; curve: (typeof curves)[string] | undefined } {
  const [whole] = derElements(key);
  const parts = derElements(derBody(whole, derTag.sequence));
  const identifier = parts.find(({ tag }) => tag === derTag.sequence);
  const [algorithm, parameter] = derElements(derBody(identifier, derTag.sequence));
  const curve = parameter?.tag === derTag.objectId ? curves[readObjectId(parameter.body)] : undefined;
  return { algorithm: readObjectId(derBody(algorithm, derTag.objectId)), curve };
}

/** Verifies a signature with an encoded public key. Resolves with false for an algorithm that isn't supported. */
export async function verifySignature(
  publicKey: Uint8Array,
  algorithm: string,
  signature: Uint8Array,
  signed: Uint8Array,
): Promise<boolean> {
  const key = keyAlgorithm(publicKey);
  const hash = hashes[algorithm];
  const { subtle } = crypto;
  const check = async (
    parameters: EcKeyImportParams | RsaHashedImportParams | Algorithm,
    how: Algorithm | EcdsaParams,
    bytes: Uint8Array,
  ): Promise<boolean> =>
    subtle.verify(
      how,
      await subtle.importKey("spki", owned(publicKey), parameters, false, ["verify"]),
      owned(bytes),
      owned(signed),
    );
  if (algorithm === ed25519 && key.algorithm === ed25519)
    return await check({ name: "Ed25519" }, { name: "Ed25519" }, signature);
  if (hash === undefined) return false;
  if (key.algorithm === rsa)
    return await check({ name: "RSASSA-PKCS1-v1_5", hash }, { name: "RSASSA-PKCS1-v1_5" }, signature);
  if (key.curve === undefined) return false;
  const { name, size } = key.curve;
  const [pair] = derElements(signature);
  const numbers = derElements(derBody(pair, derTag.sequence)).map((each) =>
    fixedSize(derBody(each, derTag.integer), size),
  );
  return await check({ name: "ECDSA", namedCurve: name }, { name: "ECDSA", hash }, concatBytes(numbers));
}

function fixedSize(bytes: Uint8Array, size: number): Uint8Array {
  const significant = bytes.subarray(Math.max(0, bytes.length - size));
  return concatBytes([new Uint8Array(size - significant.length), significant]);
}

/** A private key, and the identifier of its signatures in certificates. */
export interface SigningKey {
  readonly identifier: Uint8Array;
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Imports a private key (PKCS #8, EC or RSA). Rejects with a `RangeError` for another kind of key. */
export async function importSigningKey(privateKey: Uint8Array): Promise<SigningKey> {
  const { algorithm, curve } = keyAlgorithm(privateKey);
  if (algorithm === rsa) {
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
