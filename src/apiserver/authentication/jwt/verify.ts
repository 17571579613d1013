import { base64UrlDecode } from "../../../internal/base64.js";
import { utf8Decode, utf8Encode } from "../../../internal/bytes.js";
import { isJsonObject } from "../../internal/json-value.js";
import { AuthenticationError } from "../authenticators/authenticator.js";
import type { IssuerKey, IssuerKeys } from "./issuer-keys.js";

/** Claims of a token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** A token in its parts. */
export interface ParsedToken {
  readonly header: TokenClaims;
  readonly claims: TokenClaims;
  /** Text that is signed. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

interface Algorithm {
  readonly kty: string;
  readonly key: RsaHashedImportParams | EcKeyImportParams;
  readonly verify: AlgorithmIdentifier | RsaPssParams | EcdsaParams;
}

const curves = { "256": "P-256", "384": "P-384", "512": "P-521" } as const;

/** Signature algorithms that kube-apiserver accepts. */
const algorithms: Readonly<Record<string, Algorithm>> = Object.fromEntries(
  (["256", "384", "512"] as const).flatMap((bits): [string, Algorithm][] => {
    const hash = `SHA-${bits}`;
    const rsa = (name: string): RsaHashedImportParams => ({ name, hash });
    return [
      [`RS${bits}`, { kty: "RSA", key: rsa("RSASSA-PKCS1-v1_5"), verify: "RSASSA-PKCS1-v1_5" }],
      [`PS${bits}`, { kty: "RSA", key: rsa("RSA-PSS"), verify: { name: "RSA-PSS", saltLength: Number(bits) / 8 } }],
      [`ES${bits}`, { kty: "EC", key: { name: "ECDSA", namedCurve: curves[bits] }, verify: { name: "ECDSA", hash } }],
    ];
  }),
);

function json(part: string): TokenClaims | undefined {
  const bytes = base64UrlDecode(part);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(utf8Decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // Any other bearer token.
  }
}

/** Parses a token; returns `undefined` if it isn't a JSON Web Token. */
export function parseToken(token: string): ParsedToken | undefined {
  const [head = "", payload = "", end = "", ...more] = token.split(".");
  const [header, claims, signature] = [json(head), json(payload), base64UrlDecode(end)];
  if (header === undefined || claims === undefined || signature === undefined || more.length > 0) return undefined;
  return { header, claims, signed: `${head}.${payload}`, signature };
}

/** Throws an `AuthenticationError` if none of the issuer's keys verifies the signature. */
export async function verifySignature(token: ParsedToken, keys: IssuerKeys): Promise<void> {
  const { alg, kid } = token.header;
  const algorithm = typeof alg === "string" && Object.hasOwn(algorithms, alg) ? algorithms[alg]! : undefined;
  if (algorithm === undefined)
    throw new AuthenticationError("oidc: verify token: the signature algorithm isn't supported");
  const matching = (all: readonly IssuerKey[]): IssuerKey[] =>
    all.filter((key) => key.kty === algorithm.kty && (kid === undefined || key.kid === kid));
  const verifies = async (all: readonly IssuerKey[]): Promise<boolean> => {
    for (const key of matching(all)) if (await isSignedBy(token, key, algorithm)) return true;
    return false;
  };
  // The issuer may have rotated its keys.
  if ((await verifies(await keys.current())) || (await verifies(await keys.refresh()))) return;
  throw new AuthenticationError("oidc: verify token: failed to verify signature");
}

async function isSignedBy(
  { signed, signature }: ParsedToken,
  { kty, n, e, crv, x, y }: IssuerKey,
  { key, verify }: Algorithm,
): Promise<boolean> {
  const jwk = Object.fromEntries(
    Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => value !== undefined),
  ) as JsonWebKey;
  let imported: CryptoKey;
  try {
    imported = await crypto.subtle.importKey("jwk", jwk, key, false, ["verify"]);
  } catch {
    return false; // A key of another curve, or a malformed one.
  }
  return crypto.subtle.verify(verify, imported, signature as BufferSource, utf8Encode(signed) as BufferSource);
}

const leewaySeconds = 300;

/** Throws an `AuthenticationError` if a token has expired, isn't valid yet, or is for another audience. */
export function checkClaims({ exp, nbf, aud }: TokenClaims, audiences: readonly string[], nowMs: number): void {
  const fail = (why: string): AuthenticationError => new AuthenticationError(`oidc: verify token: ${why}`);
  if (typeof exp !== "number" || exp * 1000 < nowMs) throw fail("token is expired");
  if (nbf !== undefined && (typeof nbf !== "number" || (nbf - leewaySeconds) * 1000 > nowMs))
    throw fail("current time is before the nbf (not before) time");
  const given = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((audience) => given.includes(audience)))
    throw fail(`expected audience in ${JSON.stringify(audiences)}`);
}
