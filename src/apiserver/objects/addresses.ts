import { isIpv4, isIpv6 } from "./formats.js";

const wrongAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const wrongRange = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** A range of IP addresses. */
export interface AddressRange {
  /** Bytes of the first address. */
  readonly first: readonly number[];
  /** Prefix length in bits. */
  readonly length: number;
}

/** Returns the error of an invalid address. `canonical`: also require the canonical form. */
export function addressProblem(text: string, canonical = true): string | undefined {
  const plain = withoutZeros(text);
  if (!isIpv4(plain) && !isIpv6(plain)) return wrongAddress;
  if (plain !== text) return "must not have leading 0s";
  const bytes = addressBytes(text);
  if (isMapped(bytes)) return "must not be an IPv4-mapped IPv6 address";
  const short = formatAddress(bytes);
  return !canonical || short === text ? undefined : `must be in canonical form (${JSON.stringify(short)})`;
}

/**
 * Parses an address and accepts leading zeros. IPv4-mapped addresses return four bytes. `undefined` if it is invalid.
 */
export function lenientAddress(text: string): number[] | undefined {
  const plain = withoutZeros(text);
  if (!isIpv4(plain) && !isIpv6(plain)) return undefined;
  const bytes = addressBytes(plain);
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

/** Parses a range and ignores the host bits; accepts leading zeros. */
export function parseRange(text: string): AddressRange | undefined {
  const slash = text.indexOf("/");
  const address = withoutZeros(text.slice(0, Math.max(slash, 0)));
  const digits = text.slice(slash + 1);
  if (!/^\d+$/.test(digits) || (!isIpv4(address) && !isIpv6(address))) return undefined;
  const bytes = addressBytes(address);
  const length = Number(digits);
  return length > bytes.length * 8 ? undefined : { first: maskedBytes(bytes, length), length };
}

/** Returns the error of an invalid range, or one with host bits. `canonical`: also require the canonical form. */
export function rangeProblem(text: string, canonical: boolean): string | undefined {
  const range = parseRange(text);
  if (range === undefined) return wrongRange;
  const [address = "", digits = ""] = text.split("/");
  if (withoutZeros(address) !== address || String(range.length) !== digits)
    return "must not have leading 0s in IP or prefix length";
  const bytes = addressBytes(address);
  if (isMapped(bytes)) return "must not have an IPv4-mapped IPv6 address";
  if (formatAddress(bytes) !== formatAddress(range.first)) return "must not have bits set beyond the prefix length";
  const short = `${formatAddress(range.first)}/${digits}`;
  return !canonical || short === text ? undefined : `must be in canonical form (${JSON.stringify(short)})`;
}

/** Returns the error unless the text is an interface address with a prefix length, in canonical form. */
export function interfaceAddressProblem(text: string): string | undefined {
  const range = parseRange(text);
  if (range === undefined) return "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
  const [address = ""] = text.split("/");
  const mapped = isMapped(addressBytes(withoutZeros(address)));
  const short = `${canonicalAddress(address)}/${String(mapped && range.length > 32 ? range.length - 96 : range.length)}`;
  return short === text ? undefined : `must be in canonical form (${JSON.stringify(short)})`;
}

export function rangeHolds({ first, length }: AddressRange, bytes: readonly number[]): boolean {
  return bytes.length === first.length && maskedBytes(bytes, length).join() === first.join();
}

/** Keeps the first `length` bits of an address and clears the rest. */
export function maskedBytes(bytes: readonly number[], length: number): number[] {
  return bytes.map((byte, at) => {
    const bits = Math.max(0, Math.min(8, length - at * 8));
    return byte & (0xff00 >> bits) & 0xff;
  });
}

/** Removes leading zeros from the parts of an IPv4 address, which may be the end of an IPv6 one. */
function withoutZeros(text: string): string {
  const at = text.lastIndexOf(":") + 1;
  if (!/^\d+(\.\d+){3}$/.test(text.slice(at))) return text;
  return text.slice(0, at) + text.slice(at).replace(/\b0+(?=\d)/g, "");
}

function isMapped(bytes: readonly number[]): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** Returns the bytes of a valid address. */
export function addressBytes(text: string): number[] {
  if (isIpv4(text)) return text.split(".").map(Number);
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const plain = dotted === null ? text : `${dotted[1]!}${toHexGroups(dotted[2]!)}`;
  const [head = "", tail] = plain.split("::");
  const groups = (part: string): number[] => (part === "" ? [] : part.split(":").map((group) => parseInt(group, 16)));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all =
    tail === undefined
      ? left
      : [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right];
  return all.flatMap((group) => [group >> 8, group & 255]);
}

function toHexGroups(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** Returns the canonical form of a valid address, which may have leading zeros; IPv4-mapped addresses become IPv4. */
export function canonicalAddress(text: string): string {
  const bytes = addressBytes(withoutZeros(text));
  return formatAddress(isMapped(bytes) ? bytes.slice(12) : bytes);
}

/** Formats bytes as a canonical address. */
export function formatAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[at * 2] ?? 0) * 256 + (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === "0") length += 1;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

/** True for `0.0.0.0` and `::`. */
export function isUnspecified(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === 0);
}

/** True for an address of the machine itself, such as `127.0.0.1` and `::1`. */
export function isLoopback(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? bytes[0] === 127 : isUnspecified(bytes.slice(0, 15)) && bytes[15] === 1;
}

/** True for a unicast address that is only valid on one link. */
export function isLinkLocalUnicast(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
}

function isMulticast(bytes: readonly number[]): boolean {
  return bytes.length === 4 ? bytes[0]! >= 224 && bytes[0]! < 240 : bytes[0] === 0xff;
}

/** True for an address that identifies one machine, private addresses included. */
export function isGlobalUnicast(bytes: readonly number[]): boolean {
  return (
    ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((isOther) => isOther(bytes)) &&
    !(bytes.length === 4 && bytes.every((byte) => byte === 255))
  );
}
