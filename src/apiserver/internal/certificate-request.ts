/** Parts of a certificate's subject that Kubernetes uses. */
export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const OBJECT_ID = 0x06;
const COMMON_NAME = "550403";
const ORGANIZATION = "55040a";
/** Tags of the text types of a name: UTF-8, printable, teletex and IA5. */
const texts = [0x0c, 0x13, 0x14, 0x16];

interface Element {
  readonly tag: number;
  readonly body: Uint8Array;
}

/**
 * Reads the subject of a certificate signing request (PKCS #10), given as PEM in base64. Throws an `Error` if the
 * request is malformed. Doesn't verify its signature.
 */
export function readRequestSubject(request: string): CertificateSubject {
  const block = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(atob(request))?.[1];
  if (block === undefined) throw new RangeError("PEM block type must be CERTIFICATE REQUEST");
  const [whole] = elements(Uint8Array.from(atob(block.replace(/\s/g, "")), (each) => each.charCodeAt(0)));
  const [info] = elements(bodyOf(whole, SEQUENCE));
  const [version, subject] = elements(bodyOf(info, SEQUENCE));
  bodyOf(version, INTEGER);
  const found: [type: string, text: string][] = elements(bodyOf(subject, SEQUENCE)).flatMap((set) =>
    elements(bodyOf(set, SET)).map((pair): [type: string, text: string] => {
      const [type, value] = elements(bodyOf(pair, SEQUENCE));
      const text = value !== undefined && texts.includes(value.tag) ? new TextDecoder().decode(value.body) : "";
      return [hex(bodyOf(type, OBJECT_ID)), text];
    }),
  );
  const values = (wanted: string): string[] => found.filter(([type]) => type === wanted).map(([, text]) => text);
  return { commonName: values(COMMON_NAME).at(-1) ?? "", organizations: values(ORGANIZATION) };
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function bodyOf(element: Element | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new RangeError("asn1: structure error: unexpected tag");
  return element.body;
}

/** Splits DER into the elements that follow each other. */
function elements(bytes: Uint8Array): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at]!;
    let length = bytes[at + 1] ?? 0;
    let start = at + 2;
    if (length > 0x7f) {
      const width = length & 0x7f;
      if (width === 0 || width > 4) throw new RangeError("asn1: structure error: unsupported length");
      length = bytes.subarray(start, start + width).reduce((sum, byte) => sum * 256 + byte, 0);
      start += width;
    }
    if (start + length > bytes.length) throw new RangeError("asn1: syntax error: data truncated");
    found.push({ tag, body: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
