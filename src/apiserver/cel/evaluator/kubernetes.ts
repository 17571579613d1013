import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityToNumber,
} from "../../../meta/quantity.js";
import { addressBytes, formatAddress, maskedBytes } from "../../objects/addresses.js";
import { hasFormat, isCidr, isIpv4, isIpv6 } from "../../objects/formats.js";
import { CelError, CelOpaque, CelOptional, type CelValue, LiteralMap } from "../values/values.js";

/** Calls a function of the Kubernetes libraries; returns `undefined` for an unknown one. Throws a `CelError`. */
export function callKubernetes(name: string, args: readonly CelValue[]): CelValue | undefined {
  const [first] = args;
  if (name === "format.named")
    return typeof first === "string" && formatNames.has(first)
      ? new CelOptional(new NamedFormat(first))
      : new CelOptional();
  const bare = /^format\.(\w+)$/.exec(name)?.[1];
  if (bare !== undefined && formatNames.has(bare)) return new NamedFormat(bare);
  if (typeof first !== "string") return undefined;
  switch (name) {
    case "quantity":
      return new Quantity(first);
    case "isQuantity":
      return succeeds(() => parseQuantity(first));
    case "url":
      return new Url(first);
    case "isURL":
      return succeeds(() => new Url(first));
    case "ip":
      return new Ip(first);
    case "isIP":
    case "ip.isCanonical": {
      const valid = isIpv4(first) || isIpv6(first);
      if (name === "isIP") return valid;
      if (!valid) throw new CelError(`IP Address ${JSON.stringify(first)} is invalid`);
      return new Ip(first).canonical === first;
    }
    case "cidr":
      return new Cidr(first);
    case "isCIDR":
      return isCidr(first);
    case "semver":
      return new Semver(args[1] === true ? normalVersion(first) : first);
    case "isSemver":
      return succeeds(() => new Semver(args[1] === true ? normalVersion(first) : first));
    default:
      return undefined;
  }
}

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false; // An unparsable argument is a valid answer here.
  }
}

class Quantity extends CelOpaque {
  readonly typeName = "kubernetes.Quantity";
  readonly text: string;

  constructor(text: string) {
    super();
    try {
      parseQuantity(text);
    } catch (error) {
      throw new CelError(error instanceof Error ? error.message : String(error));
    }
    this.text = text;
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    const [other] = args;
    const right = other instanceof Quantity ? other.text : typeof other === "bigint" ? String(other) : undefined;
    switch (method) {
      case "sign":
        return BigInt(Math.sign(compareQuantities(this.text, "0")));
      case "isInteger":
        return Number.isInteger(quantityToNumber(this.text));
      case "asInteger": {
        const number = quantityToNumber(this.text);
        if (!Number.isInteger(number)) throw new CelError("cannot convert value to integer");
        return BigInt(number);
      }
      case "asApproximateFloat":
        return quantityToNumber(this.text);
      default:
        break;
    }
    if (right === undefined) return undefined;
    switch (method) {
      case "isGreaterThan":
        return compareQuantities(this.text, right) > 0;
      case "isLessThan":
        return compareQuantities(this.text, right) < 0;
      case "compareTo":
        return BigInt(Math.sign(compareQuantities(this.text, right)));
      case "add":
        return new Quantity(formatQuantity(addQuantities(parseQuantity(this.text), parseQuantity(right))));
      case "sub":
        return new Quantity(
          formatQuantity(
            addQuantities(
              parseQuantity(this.text),
              parseQuantity(right.startsWith("-") ? right.slice(1) : `-${right.replace(/^\+/, "")}`),
            ),
          ),
        );
      default:
        return undefined;
    }
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Quantity && compareQuantities(this.text, other.text) === 0;
  }
}

class Url extends CelOpaque {
  readonly typeName = "kubernetes.URL";
  readonly #url: URL;
  readonly #absolute: boolean;
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
    this.#absolute = !text.startsWith("/");
    if (/[\s]/.test(text) || (this.#absolute && !/^[a-zA-Z][a-zA-Z0-9+.-]*:\/?/.test(text)))
      throw new CelError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      );
    try {
      this.#url = new URL(text, "http://localhost");
    } catch {
      throw new CelError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      ); // The platform's error has no further detail.
    }
  }

  call(method: string): CelValue | undefined {
    const url = this.#url;
    switch (method) {
      case "getScheme":
        return this.#absolute ? url.protocol.replace(/:$/, "") : "";
      case "getHost":
        return this.#absolute ? this.#authority() : "";
      case "getHostname":
        return this.#absolute
          ? this.#authority()
              .replace(/:\d+$/, "")
              .replace(/^\[|\]$/g, "")
          : "";
      case "getPort":
        return this.#absolute ? (/:(\d+)$/.exec(this.#authority())?.[1] ?? "") : "";
      case "getEscapedPath":
        return /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/.exec(this.#text)?.[1] ?? "";
      case "getQuery":
        return new LiteralMap(
          [...new Set(url.searchParams.keys())].map((key) => [key, url.searchParams.getAll(key)] as const),
        );
      default:
        return undefined;
    }
  }

  #authority(): string {
    return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(this.#text)?.[1] ?? "";
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Url && other.#text === this.#text;
  }
}

class Ip extends CelOpaque {
  readonly typeName = "net.IP";
  readonly bytes: readonly number[];

  constructor(address: string | readonly number[]) {
    super();
    if (typeof address === "string") {
      if (!isIpv4(address) && !isIpv6(address))
        throw new CelError(
          `IP Address ${JSON.stringify(address)} parse error during conversion from string: ParseAddr(${JSON.stringify(address)}): unable to parse IP`,
        );
      this.bytes = addressBytes(address);
    } else this.bytes = address;
  }

  get canonical(): string {
    return formatAddress(this.bytes);
  }

  call(method: string): CelValue | undefined {
    const [a = 0, b = 0] = this.bytes;
    const four = this.bytes.length === 4;
    const zeros = this.bytes.every((byte) => byte === 0);
    switch (method) {
      case "family":
        return four ? 4n : 6n;
      case "isUnspecified":
        return zeros;
      case "isLoopback":
        return four ? a === 127 : this.bytes.slice(0, 15).every((byte) => byte === 0) && this.bytes[15] === 1;
      case "isLinkLocalMulticast":
        return four ? a === 224 && b === 0 && this.bytes[2] === 0 : a === 0xff && (b & 0x0f) === 2;
      case "isLinkLocalUnicast":
        return four ? a === 169 && b === 254 : a === 0xfe && (b & 0xc0) === 0x80;
      case "isGlobalUnicast":
        return (
          !zeros &&
          !(this.call("isLoopback") as boolean) &&
          !(four ? a >= 224 && a < 240 : a === 0xff) &&
          !(this.call("isLinkLocalUnicast") as boolean) &&
          !(four && this.bytes.every((byte) => byte === 255))
        );
      case "string":
        return this.canonical;
      default:
        return undefined;
    }
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Ip && other.canonical === this.canonical;
  }
}

class Cidr extends CelOpaque {
  readonly typeName = "net.CIDR";
  readonly ip: Ip;
  readonly length: number;

  constructor(text: string) {
    super();
    if (!isCidr(text))
      throw new CelError(
        `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): invalid`,
      );
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
    const [other] = args;
    switch (method) {
      case "ip":
        return this.ip;
      case "prefixLength":
        return BigInt(this.length);
      case "masked":
        return new Cidr(`${formatAddress(this.masked(this.ip.bytes))}/${this.length}`);
      case "string":
        return `${this.ip.canonical}/${this.length}`;
      case "containsIP": {
        const ip = typeof other === "string" ? new Ip(other) : other;
        return ip instanceof Ip ? this.#contains(ip) : undefined;
      }
      case "containsCIDR": {
        const cidr = typeof other === "string" ? new Cidr(other) : other;
        return cidr instanceof Cidr ? cidr.length >= this.length && this.#contains(cidr.ip) : undefined;
      }
      default:
        return undefined;
    }
  }

  #contains(ip: Ip): boolean {
    return (
      ip.bytes.length === this.ip.bytes.length && this.masked(ip.bytes).join() === this.masked(this.ip.bytes).join()
    );
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Cidr && other.length === this.length && other.ip.equals(this.ip);
  }
}

/** Normalizes a version: no leading `v` or zeros, and three numbers. Throws a `CelError`. */
function normalVersion(text: string): string {
  const bare = text.replace(/^v/, "");
  const [major = "", minor, ...rest] = bare.split(".");
  const parts = [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join(".")])].map(
    (part) => part.replace(/^0+(?=\d)/, ""),
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1)!))
    throw new CelError("short version cannot contain PreRelease/Build meta data");
  while (parts.length < 3) parts.push("0");
  return parts.join(".");
}

class Semver extends CelOpaque {
  readonly typeName = "kubernetes.Semver";
  readonly numbers: readonly bigint[];
  readonly pre: readonly string[];

  constructor(text: string) {
    super();
    const match = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text);
    if (match === null) throw new CelError(`Invalid semantic version ${JSON.stringify(text)}`);
    this.numbers = [BigInt(match[1]!), BigInt(match[2]!), BigInt(match[3]!)];
    this.pre = match[4]?.split(".") ?? [];
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    const [other] = args;
    switch (method) {
      case "major":
        return this.numbers[0];
      case "minor":
        return this.numbers[1];
      case "patch":
        return this.numbers[2];
      default:
        break;
    }
    if (!(other instanceof Semver)) return undefined;
    switch (method) {
      case "compareTo":
        return BigInt(this.compare(other));
      case "isGreaterThan":
        return this.compare(other) > 0;
      case "isLessThan":
        return this.compare(other) < 0;
      default:
        return undefined;
    }
  }

  compare(other: Semver): number {
    for (let at = 0; at < 3; at += 1)
      if (this.numbers[at] !== other.numbers[at]) return this.numbers[at]! < other.numbers[at]! ? -1 : 1;
    if (this.pre.length === 0 || other.pre.length === 0) return Math.sign(other.pre.length - this.pre.length);
    for (let at = 0; at < Math.min(this.pre.length, other.pre.length); at += 1) {
      const order = comparePart(this.pre[at]!, other.pre[at]!);
      if (order !== 0) return order;
    }
    return Math.sign(this.pre.length - other.pre.length);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Semver && this.compare(other) === 0;
  }
}

function comparePart(a: string, b: string): number {
  const numeric = (part: string): boolean => /^\d+$/.test(part);
  if (numeric(a) && numeric(b)) return Math.sign(Number(a) - Number(b));
  if (numeric(a) !== numeric(b)) return numeric(a) ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const named: Readonly<Record<string, (text: string) => boolean>> = {
  dns1123Label: (text) => text.length <= 63 && label.test(text),
  dns1123Subdomain: (text) => text.length <= 253 && text.split(".").every((part) => label.test(part)),
  dns1035Label: (text) => text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text),
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*)?$/.test(text),
  dns1123SubdomainPrefix: (text) => text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*)?$/.test(text),
  dns1035LabelPrefix: (text) => text.length <= 63 && /^[a-z]([-a-z0-9]*)?$/.test(text),
  labelValue: (text) => text === "" || (text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)),
  uri: (text) => hasFormat(text, "uri"),
  uuid: (text) => hasFormat(text, "uuid"),
  byte: (text) => hasFormat(text, "byte"),
  date: (text) => hasFormat(text, "date"),
  datetime: (text) => hasFormat(text, "datetime"),
};
const formatNames = new Set(Object.keys(named));

function isQualifiedName(text: string): boolean {
  const parts = text.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.length > 2 || (parts.length === 2 && !named["dns1123Subdomain"]!(parts[0] ?? ""))) return false;
  return name.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name);
}

/** Size of the formats' longest patterns; labels have 30. */
const patternSizes: Readonly<Record<string, number>> = {
  dns1123Subdomain: 60,
  dns1123SubdomainPrefix: 60,
  qualifiedName: 60,
  labelValue: 40,
  uri: 1103,
  uuid: 70,
  byte: 84,
  date: 71,
  datetime: 71,
};

class NamedFormat extends CelOpaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  override steps(method: string, [text]: readonly CelValue[]): number {
    return method === "validate" && typeof text === "string"
      ? Math.ceil((text.length + 1) / 10) * Math.ceil((patternSizes[this.name] ?? 30) / 4)
      : 1;
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    const [text] = args;
    if (method !== "validate" || typeof text !== "string") return undefined;
    return named[this.name]!(text) ? new CelOptional() : new CelOptional([`must be a valid ${this.name}`]);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}
