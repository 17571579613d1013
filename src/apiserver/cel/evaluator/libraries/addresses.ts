import {
  addressBytes,
  formatAddress,
  isGlobalUnicast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  maskedBytes,
} from "../../../objects/addresses.js";
import { isCidr, isIpv4, isIpv6 } from "../../../objects/formats.js";
import { CelError, CelOpaque, type CelValue } from "../../values/values.js";
import { callOwn, type Methods } from "./methods.js";

/** A value of `ip()`. */
export class Ip extends CelOpaque {
  readonly typeName = "net.IP";
  readonly bytes: readonly number[];

  constructor(address: string | readonly number[]) {
    super();
    if (typeof address === "string") {
      if (!isIpv4(address) && !isIpv6(address)) throw new CelError(`IP Address ${JSON.stringify(address)} is invalid`);
      this.bytes = addressBytes(address);
    } else this.bytes = address;
  }

  get canonical(): string {
    return formatAddress(this.bytes);
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    return callOwn(ipMethods, method, this, args);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Ip && other.canonical === this.canonical;
  }
}

const isFour = ({ length }: readonly number[]): boolean => length === 4;

const ipMethods: Methods<Ip> = {
  family: ({ bytes }) => (isFour(bytes) ? 4n : 6n),
  isUnspecified: ({ bytes }) => isUnspecified(bytes),
  isLoopback: ({ bytes }) => isLoopback(bytes),
  isLinkLocalMulticast: ({ bytes }) =>
    isFour(bytes) ? bytes.slice(0, 3).join(".") === "224.0.0" : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2,
  isLinkLocalUnicast: ({ bytes }) => isLinkLocalUnicast(bytes),
  isGlobalUnicast: ({ bytes }) => isGlobalUnicast(bytes),
  string: ({ canonical }) => canonical,
};

/** A value of `cidr()`. */
export class Cidr extends CelOpaque {
  readonly typeName = "net.CIDR";
  readonly ip: Ip;
  readonly length: number;

  constructor(text: string) {
    super();
    if (!isCidr(text)) throw new CelError(`network address ${JSON.stringify(text)} is invalid`);
    const slash = text.indexOf("/");
    this.ip = new Ip(text.slice(0, slash));
    this.length = Number(text.slice(slash + 1));
  }

  masked(bytes: readonly number[]): number[] {
    return maskedBytes(bytes, this.length);
  }

  override steps(method: string, [other]: readonly CelValue[]): number {
    const size = Math.ceil(this.length / 8);
    const parsed = typeof other === "string" ? Math.ceil(other.length / 10) : 0;
    if (method === "containsIP") return Math.ceil(2 * size * 0.1) + parsed;
    return method === "containsCIDR" ? Math.ceil(2 * size * 0.1) + Math.ceil(size * 0.1) + 1 + parsed : 1;
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    return callOwn(cidrMethods, method, this, args);
  }

  contains(ip: Ip): boolean {
    return (
      ip.bytes.length === this.ip.bytes.length && this.masked(ip.bytes).join() === this.masked(this.ip.bytes).join()
    );
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Cidr && other.length === this.length && other.ip.equals(this.ip);
  }
}

const cidrMethods: Methods<Cidr> = {
  ip: ({ ip }) => ip,
  prefixLength: ({ length }) => BigInt(length),
  masked: (cidr) => new Cidr(`${formatAddress(cidr.masked(cidr.ip.bytes))}/${cidr.length}`),
  string: ({ ip, length }) => `${ip.canonical}/${length}`,
  containsIP(cidr, other) {
    const ip = typeof other === "string" ? new Ip(other) : other;
    return ip instanceof Ip ? cidr.contains(ip) : undefined;
  },
  containsCIDR(outer, other) {
    const inner = typeof other === "string" ? new Cidr(other) : other;
    return inner instanceof Cidr ? inner.length >= outer.length && outer.contains(inner.ip) : undefined;
  },
};
