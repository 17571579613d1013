import { type DerElement, derBody, derElements, derTag } from "../../internal/der.js";
import type { SignedBytes } from "../../internal/signatures.js";

/** Parts of a certificate's subject that Kubernetes uses. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const commonNameOid = "550403";
const organizationOid = "55040a";
/** Tags of the text types of a name: UTF-8, printable, teletex and IA5. */
const texts = [0x0c, 0x13, 0x14, 0x16];

/**
 * Reads the subject of a certificate signing request (PKCS #10), given as PEM in base64. Throws an `Error` if the
 * request is malformed. Doesn't verify its signature.
 */
export function readRequestSubject(request: string): CertificateSubject {
  const [info] = requestParts(request);
  const [version, subject] = derElements(derBody(info, derTag.sequence));
  derBody(version, derTag.integer);
  const found: [type: string, text: string][] = derElements(derBody(subject, derTag.sequence)).flatMap((set) =>
    derElements(derBody(set, derTag.set)).map((pair): [type: string, text: string] => {
      const [type, value] = derElements(derBody(pair, derTag.sequence));
      const text = value !== undefined && texts.includes(value.tag) ? new TextDecoder().decode(value.body) : "";
      return [hex(derBody(type, derTag.objectId)), text];
    }),
  );
  const values = (wanted: string): string[] => found.filter(([type]) => type === wanted).map(([, text]) => text);
  return { commonName: values(commonNameOid).at(-1) ?? "", organizations: values(organizationOid) };
}

/** Reads the signed part of a request and its signature. Throws an `Error` if the request is malformed. */
export function readSignedRequest(request: string): SignedBytes {
  const [info, algorithm, signature] = requestParts(request);
  const [, , publicKey] = derElements(derBody(info, derTag.sequence));
  derBody(publicKey, derTag.sequence);
  return {
    publicKey: publicKey!.bytes,
    algorithm: derBody(algorithm, derTag.sequence),
    // The first byte is the number of unused bits.
    signature: derBody(signature, derTag.bitString).subarray(1),
    signed: info!.bytes,
  };
}

/** Returns the information that is signed, the algorithm and the signature. */
function requestParts(request: string): DerElement[] {
  const block = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(atob(request))?.[1];
  if (block === undefined) throw new RangeError("PEM block type must be CERTIFICATE REQUEST");
  const [whole, ...rest] = derElements(Uint8Array.from(atob(block.replace(/\s/g, "")), (each) => each.charCodeAt(0)));
  if (rest.length > 0) throw new RangeError("asn1: syntax error: trailing data");
  return derElements(derBody(whole, derTag.sequence));
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
