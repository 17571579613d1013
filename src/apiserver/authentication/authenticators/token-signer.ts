import { base64UrlDecode, base64UrlEncode } from "../../../internal/base64.js";
import { utf8Decode, utf8Encode } from "../../../internal/bytes.js";
import { workOutside } from "../../../internal/outside-work.js";

/** A public key as a JSON Web Key. */
export interface PublicKey {
  readonly use: "sig";
  readonly kty: string;
  readonly kid: string;
  readonly alg: "RS256";
  readonly n: string;
  readonly e: string;
}

/** Claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** Signs tokens and verifies its own. */
export interface TokenSigner {
  /** Returns the key for verifying signatures. */
  publicKey(): Promise<PublicKey>;
  /** Returns a signed token with these claims, in their order. */
  sign(claims: Claims): Promise<string>;
  /**
   * Returns the claims of a token, an error text if its signature is invalid, or `undefined` if it's from another
   * issuer.
   */
  verify(token: string): Promise<Claims | string | undefined>;
}

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const keyBits = 2048;
const mostKnown = 1024;

const encodeJson = (value: object): string => base64UrlEncode(utf8Encode(JSON.stringify(value)));

function decodeJson(text: string): Claims | undefined {
  const bytes = base64UrlDecode(text);
  if (bytes === undefined) return undefined;
  try {
    const value = JSON.parse(utf8Decode(bytes)) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Claims) : undefined;
  } catch {
    return undefined;
  }
}

interface Keys {
  readonly pair: CryptoKeyPair;
  readonly published: PublicKey;
}

async function makeKeys(): Promise<Keys> {
  const pair = await crypto.subtle.generateKey(
    { ...algorithm, modulusLength: keyBits, publicExponent: Uint8Array.of(1, 0, 1) },
    false,
    ["sign", "verify"],
  );
  const { kty = "", n = "", e = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const digest = await crypto.subtle.digest("SHA-256", await crypto.subtle.exportKey("spki", pair.publicKey));
  return { pair, published: { use: "sig", kty, kid: base64UrlEncode(new Uint8Array(digest)), alg: "RS256", n, e } };
}

/**
 * Creates the signer of one issuer. The key is generated on first use, because that takes longer than starting a
 * server.
 */
export function createTokenSigner(issuer: string): TokenSigner {
  let keys: Promise<Keys> | undefined;
  const keysOf = (): Promise<Keys> => workOutside((keys ??= makeKeys()));
  /** Tokens with verified signatures, cached because most are sent many times. */
  const known = new Map<string, Claims>();
  const check = async (token: string): Promise<Claims | string | undefined> => {
    const [head = "", payload = "", signature = "", ...more] = token.split(".");
    const header = decodeJson(head);
    const claims = decodeJson(payload);
    const bytes = base64UrlDecode(signature);
    if (
      header === undefined ||
      claims === undefined ||
      bytes === undefined ||
      more.length > 0 ||
      claims["iss"] !== issuer ||
      typeof header["alg"] !== "string"
    )
      return undefined;
    const { pair, published } = await keysOf();
    if (header["kid"] !== undefined && header["kid"] !== published.kid) return "invalid signature, no keys found";
    const good =
      header["alg"] === "RS256" &&
      (await crypto.subtle.verify(
        algorithm,
        pair.publicKey,
        bytes as BufferSource,
        utf8Encode(`${head}.${payload}`) as BufferSource,
      ));
    return good ? claims : "go-jose/go-jose: error in cryptographic primitive";
  };
  return {
    publicKey: async () => (await keysOf()).published,
    async sign(claims) {
      const { pair, published } = await keysOf();
      const text = `${encodeJson({ alg: "RS256", kid: published.kid })}.${encodeJson(claims)}`;
      const signature = crypto.subtle.sign(algorithm, pair.privateKey, utf8Encode(text) as BufferSource);
      return `${text}.${base64UrlEncode(new Uint8Array(await workOutside(signature)))}`;
    },
    async verify(token) {
      const before = known.get(token);
      if (before !== undefined) return before;
      const result = await workOutside(check(token));
      if (typeof result === "object") {
        if (known.size >= mostKnown) known.delete(known.keys().next().value!);
        known.set(token, result);
      }
      return result;
    },
  };
}
