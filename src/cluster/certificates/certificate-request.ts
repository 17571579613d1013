import { type DerElement, derBody, derElements, derTag, readObjectId, readPemBlock } from "../../internal/der.js";
import type { CertificateRequest } from "../controllers/certificate-signer.js";

const commonName = "2.5.4.3";
const organization = "2.5.4.10";
const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAlternativeName = "2.5.29.17";

/**
 * Reads a request, given as PEM in base64 as in `spec.request`. Throws a `RangeError` if it's malformed. Doesn't verify
 * its signature.
 */
export function readCertificateRequest(given: string): CertificateRequest {
  const bytes = readPemBlock(atob(given), "CERTIFICATE REQUEST");
  if (bytes === undefined) throw new RangeError("PEM block type must be CERTIFICATE REQUEST");
  const [whole] = derElements(bytes);
  const [info, algorithm, signature] = derElements(derBody(whole, derTag.sequence));
  const [, subject, publicKey, attributes] = derElements(derBody(info, derTag.sequence));
  const texts = readName(derBody(subject, derTag.sequence));
  const alternativeNames = attributes === undefined ? undefined : findAlternativeNames(attributes);
  const kinds =
    alternativeNames === undefined ? [] : derElements(derBody(derElements(alternativeNames)[0], derTag.sequence));
  const ofKind = (tag: number): number => kinds.filter((each) => each.tag === tag).length;
  derBody(publicKey, derTag.sequence);
  return {
    commonName: texts.filter(([type]) => type === commonName).at(-1)?.[1] ?? "",
    organizations: texts.filter(([type]) => type === organization).map(([, text]) => text),
    names: { email: ofKind(0x81), dns: ofKind(0x82), uri: ofKind(0x86), ip: ofKind(0x87) },
    subject: subject!.bytes,
    publicKey: publicKey!.bytes,
    alternativeNames,
    signed: info!.bytes,
    algorithm: derBody(algorithm, derTag.sequence),
    signature: derBody(signature, derTag.bitString).subarray(1),
  };
}

function objectId(element: DerElement | undefined): string {
  return readObjectId(derBody(element, derTag.objectId));
}

/** Returns the parts of a name, each with its type. */
function readName(name: Uint8Array): (readonly [type: string, text: string])[] {
  return derElements(name).flatMap((set) =>
    derElements(derBody(set, derTag.set)).map((pair) => {
      const [type, value] = derElements(derBody(pair, derTag.sequence));
      return [objectId(type), new TextDecoder().decode(value?.body ?? new Uint8Array())] as const;
    }),
  );
}

function findAlternativeNames(attributes: DerElement): Uint8Array | undefined {
  for (const attribute of derElements(attributes.body)) {
    const [type, values] = derElements(derBody(attribute, derTag.sequence));
    if (objectId(type) !== extensionRequest) continue;
    for (const list of derElements(derBody(values, derTag.set)))
      for (const extension of derElements(derBody(list, derTag.sequence))) {
        const parts = derElements(derBody(extension, derTag.sequence));
        if (objectId(parts[0]) === subjectAlternativeName) return derBody(parts.at(-1), derTag.octetString);
      }
  }
  return undefined;
}
