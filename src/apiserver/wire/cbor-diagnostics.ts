import { utf8SliceStrict } from "../../internal/text.js";
import { goQuote } from "../internal/go-text.js";

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Well-formed CBOR as errors show it: in diagnostic notation, byte strings as text in single quotes where they are text. */
export function diagnoseCbor(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const argument = (info: number): number => {
    if (info < 24) return info;
    const size = 1 << (info - 24);
    at += size;
    const from = at - size;
    return size === 1
      ? view.getUint8(from)
      : size === 2
        ? view.getUint16(from)
        : size === 4
          ? view.getUint32(from)
          : Number(view.getBigUint64(from));
  };
  const string = (major: number, length: number): string => {
    const part = bytes.subarray(at, (at += length));
    const text = utf8SliceStrict(part, 0, part.length);
    if (major === 3) return goQuote(text ?? "");
    return text === undefined || text === ""
      ? `h'${hex(part)}'`
      : `'${goQuote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  };
  const items = (count: number, one: () => string): string => {
    const parts: string[] = [];
    while (count === Infinity ? bytes[at] !== 0xff : parts.length < count) parts.push(one());
    if (count === Infinity) at += 1;
    return parts.join(", ");
  };
  const simple = (info: number): string => {
    const number = argument(info);
    if (info < 25)
      return { 20: "false", 21: "true", 22: "null", 23: "undefined" }[number] ?? `simple(${String(number)})`;
    return String(info === 26 ? view.getFloat32(at - 4) : info === 27 ? view.getFloat64(at - 8) : halfFloat(number));
  };
  const item = (): string => {
    const head = view.getUint8(at++);
    const [major, info] = [head >> 5, head & 31];
    if (major === 7) return simple(info);
    const endless = info === 31;
    const count = endless ? Infinity : argument(info);
    switch (major) {
      case 0:
        return String(count);
      case 1:
        return String(-1 - count);
      case 2:
      case 3:
        return endless ? `(_ ${items(count, item)})` : string(major, count);
      case 4:
        return `[${endless ? "_ " : ""}${items(count, item)}]`;
      case 5:
        return `{${endless ? "_ " : ""}${items(count, () => `${item()}: ${item()}`)}}`;
      default:
        return `${String(count)}(${item()})`;
    }
  };
  return item();
}

function halfFloat(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Infinity
          : NaN
        : (1024 + fraction) * 2 ** (exponent - 25);
  return bits > 0x7fff ? -size : size;
}
