/** An IP address, or the first one of a range, as a number. */
interface Address {
  readonly value: bigint;
  /** Length in bits: 32 or 128. */
  readonly bits: number;
}

/** Range of IP addresses. */
export interface AddressRange extends Address {
  /** Length of the prefix that all of its addresses share. */
  readonly prefix: number;
}

/** Parses a valid range, such as `10.9.0.0/24`, or an address as a range of one. */
export function parseRange(text: string): AddressRange {
  const [address = "", prefix] = text.split("/");
  const parsed = address.includes(":") ? parseIpv6(address) : parseIpv4(address);
  return { ...parsed, prefix: prefix === undefined ? parsed.bits : Number(prefix) };
}

/** Returns true if one range holds all addresses of the other. */
export function contains(outer: AddressRange, inner: AddressRange): boolean {
  if (outer.bits !== inner.bits || outer.prefix > inner.prefix) return false;
  const rest = BigInt(outer.bits - outer.prefix);
  return outer.value >> rest === inner.value >> rest;
}

function parseIpv4(text: string): Address {
  return { value: join(text.split(".").map(Number), 8n), bits: 32 };
}

function parseIpv6(text: string): Address {
  const [left = [], right = []] = text
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0);
  return { value: join([...left, ...zeros, ...right], 16n), bits: 128 };
}

function join(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);
}
