import { ProtocolError } from "../../errors/errors.js";

/** Characters that Go's YAML library rejects. A byte order mark is only allowed at the start. */
const control = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Decodes a YAML document from UTF-8, or from UTF-16 with a byte order mark. Throws the error of Go's library for
 * invalid bytes.
 */
export function yamlText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ProtocolError(`yaml: the text is not valid ${encoding}`, { cause });
  }
  if (control.test(text)) throw new ProtocolError("yaml: control characters are not allowed");
  return text;
}
