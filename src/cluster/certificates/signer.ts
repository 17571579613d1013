import { ConfigError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { concatBytes, utf8Encode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import {
  der,
  derBody,
  derElements,
  derInteger,
  derObjectId,
  derTag,
  derTime,
  formatPemBlock,
  readObjectId,
  readPemBlock,
  readTime,
} from "../../internal/der.js";
import { workOutside } from "../../internal/outside-work.js";
import { owned, verifySignature } from "../../internal/signatures.js";
import type { CertificateSigner } from "../controllers/certificate-signer.js";
import { readCertificateRequest } from "./certificate-request.js";
import { extension, usageExtensions } from "./extensions.js";
import { ecdsaKey, importSigningKey, type SigningKey } from "./public-key-algorithms.js";

/** Certificate authority that signs CertificateSigningRequests, in PEM. */
export interface SignerOptions {
  /** Certificate of the authority. */
  readonly cert: string;
  /** Its private key: EC or RSA, in PKCS #8 (`BEGIN PRIVATE KEY`). */
  readonly key: string;
}

/** A certificate authority that can sign. */
export interface Authority {
  readonly subject: Uint8Array;
  readonly keyIdentifier: Uint8Array | undefined;
  readonly notAfterMs: number;
  readonly key: SigningKey;
}

/** Lifetime of an authority that the cluster makes itself, and the time before now from which certificates are valid. */
const authorityMs = 10 * 365 * 86_400_000;
const backdateMs = 300_000;
/** Certificates that live shorter aren't backdated at their end. */
const shortMs = 8 * 3_600_000;

/** Reads the option `signer`. Rejects with a `ConfigError` that names the field. */
export async function readAuthority(given: SignerOptions | undefined): Promise<Authority | undefined> {
  if (given === undefined) return undefined;
  const certificate = readPart(() => readCertificate(readPemBlock(given.cert, "CERTIFICATE")!));
  if (certificate === undefined) throw new ConfigError("signer.cert must be a certificate in PEM");
  const bytes = readPart(() => readPemBlock(given.key, "PRIVATE KEY"));
  const key = bytes && (await importSigningKey(bytes).catch(() => undefined));
  if (key === undefined) throw new ConfigError("signer.key must be an EC or RSA key in PEM (PKCS #8)");
  return { ...certificate, key };
}

function readPart<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // Text of another kind, or a part that's cut off. The caller names the field.
    return undefined;
  }
}

/**
 * Creates the signer of a cluster. Without an authority it makes one when it's needed first.
 */
export function createCertificateSigner(clock: Clock, given: Authority | undefined): CertificateSigner {
  let made: Promise<Authority> | undefined;
  const sign: CertificateSigner["sign"] = async (request, usages, lifetimeMs) => {
    const { publicKey, subject, alternativeNames } = request;
    if (!(await verifySignature(request))) throw new KubestreamError("unable to verify certificate request signature");
    const { key, notAfterMs, ...issuer } = given ?? (await (made ??= makeAuthority(clock.now())));
    const nowMs = clock.now();
    if (nowMs >= notAfterMs) throw new KubestreamError("the signer has expired");
    const endMs = Math.min(notAfterMs, nowMs + lifetimeMs - (lifetimeMs < shortMs ? 0 : backdateMs));
    const isNamed = derBody(derElements(subject)[0], derTag.sequence).length > 0;
    const certificate = await issue(key, {
      issuer: issuer.subject,
      subject,
      publicKey,
      fromMs: nowMs - backdateMs,
      endMs,
      extensions: [
        ...usageExtensions(usages),
        extension("2.5.29.19", true, der(derTag.sequence)),
        ...(issuer.keyIdentifier === undefined
          ? []
          : [extension("2.5.29.35", false, der(derTag.sequence, der(0x80, issuer.keyIdentifier)))]),
        ...(alternativeNames === undefined ? [] : [extension("2.5.29.17", !isNamed, alternativeNames)]),
      ],
    });
    return formatPemBlock(certificate, "CERTIFICATE");
  };
  return {
    read: readCertificateRequest,
    sign: (request, usages, lifetimeMs) => workOutside(sign(request, usages, lifetimeMs)),
    expiryMs(pem) {
      try {
        const bytes = readPemBlock(pem, "CERTIFICATE");
        return bytes === undefined ? undefined : readCertificate(bytes).notAfterMs;
      } catch {
        // Other signers may issue what they like.
        return undefined;
      }
    },
  };
}

interface CertificateParts {
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly fromMs: number;
  readonly endMs: number;
  readonly extensions: readonly Uint8Array[];
}

async function issue(key: SigningKey, parts: CertificateParts): Promise<Uint8Array> {
  const serial = crypto.getRandomValues(new Uint8Array(16));
  serial[0] = (serial[0]! & 127) | 1;
  const signed = der(
    derTag.sequence,
    der(0xa0, der(derTag.integer, Uint8Array.of(2))),
    derInteger(serial),
    key.identifier,
    parts.issuer,
    der(derTag.sequence, derTime(parts.fromMs), derTime(parts.endMs)),
    parts.subject,
    parts.publicKey,
    der(0xa3, der(derTag.sequence, ...parts.extensions)),
  );
  const signature = await key.sign(signed);
  return der(derTag.sequence, signed, key.identifier, der(derTag.bitString, Uint8Array.of(0), signature));
}

async function makeAuthority(nowMs: number): Promise<Authority> {
  const { subtle } = crypto;
  const pair = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const publicKey = new Uint8Array(await subtle.exportKey("spki", pair.publicKey));
  const keyIdentifier = new Uint8Array(await subtle.digest("SHA-1", owned(publicKey)));
  const name = der(derTag.sequence, derObjectId("2.5.4.3"), der(0x0c, utf8Encode("kubestream-cluster-ca")));
  const subject = der(derTag.sequence, der(derTag.set, name));
  return { subject, keyIdentifier, notAfterMs: nowMs + authorityMs, key: ecdsaKey(pair.privateKey) };
}

/** Reads the parts of a certificate that its own certificates repeat. Throws a `RangeError` if it's malformed. */
function readCertificate(bytes: Uint8Array): Omit<Authority, "key"> {
  const [signed] = derElements(derBody(derElements(bytes)[0], derTag.sequence));
  const parts = derElements(derBody(signed, derTag.sequence)).filter(({ tag }) => tag !== 0xa0);
  const [, , , validity, subject] = parts;
  const [, notAfter] = derElements(derBody(validity, derTag.sequence));
  const extensions = parts.find(({ tag }) => tag === 0xa3);
  const list = extensions === undefined ? [] : derElements(derBody(derElements(extensions.body)[0], derTag.sequence));
  const identifiers = list.flatMap((each) => {
    const [id, ...rest] = derElements(derBody(each, derTag.sequence));
    if (readObjectId(derBody(id, derTag.objectId)) !== "2.5.29.14") return [];
    return [derBody(derElements(derBody(rest.at(-1), derTag.octetString))[0], derTag.octetString)];
  });
  return { subject: concatBytes([subject!.bytes]), keyIdentifier: identifiers[0], notAfterMs: readTime(notAfter!) };
}
