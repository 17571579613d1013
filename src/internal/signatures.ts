import { concatBytes, copyBytes } from "./bytes.js";
import { type DerElement, derBody, derElements, derTag, readObjectId } from "./der.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Identifier of RSA keys. */
export const rsaKey = "1.2.840.113549.1.1.1";
const rsaPss = "1.2.840.113549.1.1.10";
const ed25519 = "1.3.101.112";

const curves: Readonly<Record<string, { readonly name: string; readonly size: number }>> = {
  "1.2.840.10045.3.1.7": { name: "P-256", size: 32 },
  "1.3.132.0.34": { name: "P-384", size: 48 },
  "1.3.132.0.35": { name: "P-521", size: 66 },
};
/** Hashes by the identifiers of signatures with RSA and ECDSA. */
const hashes: Readonly<Record<string, string>> = {
  "1.2.840.10045.4.1": "SHA-1",
  "1.2.840.10045.4.3.2": "SHA-256",
  "1.2.840.10045.4.3.3": "SHA-384",
  "1.2.840.10045.4.3.4": "SHA-512",
  "1.2.840.113549.1.1.5": "SHA-1",
  "1.2.840.113549.1.1.11": "SHA-256",
  "1.2.840.113549.1.1.12": "SHA-384",
  "1.2.840.113549.1.1.13": "SHA-512",
};
/** Hashes by their own identifiers, with the length of their values. */
const pssHashes: Readonly<Record<string, { readonly hash: string; readonly saltLength: number }>> = {
  "2.16.840.1.101.3.4.2.1": { hash: "SHA-256", saltLength: 32 },
  "2.16.840.1.101.3.4.2.2": { hash: "SHA-384", saltLength: 48 },
  "2.16.840.1.101.3.4.2.3": { hash: "SHA-512", saltLength: 64 },
};

/** Signed bytes, as a certificate or a certificate request holds them. */
export interface SignedBytes {
  /** Encoded public key (SPKI). */
  readonly publicKey: Uint8Array;
  /** Contents of the identifier of the signature's algorithm: an object identifier and its parameters. */
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
  readonly signed: Uint8Array;
}

/** Returns the bytes as an array with a buffer of its own, for WebCrypto. */
export function owned(bytes: Uint8Array): Bytes {
  return copyBytes(bytes) as Bytes;
}

/** Returns the algorithm and the curve of an encoded public key, or of a private one (PKCS #8). */
export function keyAlgorithm(key: Uint8Array): { algorithm: string; curve: (typeof curves)[string] | undefined } {
  const [whole] = derElements(key);
  const parts = derElements(derBody(whole, derTag.sequence));
  const identifier = parts.find(({ tag }) => tag === derTag.sequence);
  const [algorithm, parameter] = derElements(derBody(identifier, derTag.sequence));
  const curve = parameter?.tag === derTag.objectId ? curves[readObjectId(parameter.body)] : undefined;
  return { algorithm: readObjectId(derBody(algorithm, derTag.objectId)), curve };
}

/** Verifies a signature. Resolves with false if it's wrong, malformed, or of an algorithm that isn't supported. */
export async function verifySignature(given: SignedBytes): Promise<boolean> {
  try {
    const scheme = schemeOf(given);
    if (scheme === undefined) return false;
    const { key, algorithm, signature } = scheme;
    const imported = await crypto.subtle.importKey("spki", owned(given.publicKey), key, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, imported, owned(signature), owned(given.signed));
  } catch {
    // WebCrypto rejects keys that are malformed, and algorithms that it doesn't know.
    return false;
  }
}

/** Algorithms of a key and of its signature for WebCrypto, and the signature in its encoding. */
interface Scheme {
  readonly key: RsaHashedImportParams | EcKeyImportParams | Algorithm;
  readonly algorithm: RsaPssParams | EcdsaParams | Algorithm;
  readonly signature: Uint8Array;
}

function schemeOf({ publicKey, algorithm, signature }: SignedBytes): Scheme | undefined {
  const key = keyAlgorithm(publicKey);
  const [identifier, parameters] = derElements(algorithm);
  const id = readObjectId(derBody(identifier, derTag.objectId));
  if (id === ed25519 && key.algorithm === ed25519) {
    const name = "Ed25519";
    return { key: { name }, algorithm: { name }, signature };
  }
  if (id === rsaPss && key.algorithm === rsaKey) return pssScheme(parameters, signature);
  const hash = hashes[id];
  if (hash === undefined) return undefined;
  if (key.algorithm === rsaKey) {
    const name = "RSASSA-PKCS1-v1_5";
    return { key: { name, hash }, algorithm: { name }, signature };
  }
  if (key.curve === undefined) return undefined;
  const { name: namedCurve, size } = key.curve;
  const [pair] = derElements(signature);
  const numbers = derElements(derBody(pair, derTag.sequence)).map((each) =>
    fixedSize(derBody(each, derTag.integer), size),
  );
  const name = "ECDSA";
  return { key: { name, namedCurve }, algorithm: { name, hash }, signature: concatBytes(numbers) };
}

/** Requires a salt as long as the hash, like Go, and a mask that is generated with the same hash. */
function pssScheme(parameters: DerElement | undefined, signature: Uint8Array): Scheme | undefined {
  const [hash] = derElements(derBody(parameters, derTag.sequence));
  const [identifier] = derElements(derBody(hash, 0xa0));
  const [id] = derElements(derBody(identifier, derTag.sequence));
  const found = pssHashes[readObjectId(derBody(id, derTag.objectId))];
  if (found === undefined) return undefined;
  const name = "RSA-PSS";
  return { key: { name, hash: found.hash }, algorithm: { name, saltLength: found.saltLength }, signature };
}

function fixedSize(bytes: Uint8Array, size: number): Uint8Array {
  const significant = bytes.subarray(Math.max(0, bytes.length - size));
  return concatBytes([new Uint8Array(size - significant.length), significant]);
}
