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
  if (typeof first !== "string" || !Object.hasOwn(functions, name)) return undefined;
  return functions[name]!(first, args[1] === true);
}

/** Functions of a string; the second parameter allows short versions. */
const functions: Readonly<Record<string, (text: string, normalizes: boolean) => CelValue>> = {
  quantity: (text) => new Quantity(text),
  isQuantity: (text) => succeeds(() => parseQuantity(text)),
  url: (text) => new Url(text),
  isURL: (text) => succeeds(() => new Url(text)),
  ip: (text) => new Ip(text),
  isIP: (text) => isIpv4(text) || isIpv6(text),
  "ip.isCanonical": (text) => new Ip(text).canonical === text,
  cidr: (text) => new Cidr(text),
  isCIDR: (text) => isCidr(text),
  semver: (text, normalizes) => new Semver(normalizes ? normalVersion(text) : text),
  isSemver: (text, normalizes) => succeeds(() => new Semver(normalizes ? normalVersion(text) : text)),
};

/** Methods of a type by name; the second parameter is the first argument of the call. */
type Methods<T> = Readonly<Record<string, (self: T, other: CelValue | undefined) => CelValue | undefined>>;

function callOwn<T>(methods: Methods<T>, name: string, self: T, [other]: readonly CelValue[]): CelValue | undefined {
  return Object.hasOwn(methods, name) ? methods[name]!(self, other) : undefined;
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
    return callOwn(quantityMethods, method, this, args);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Quantity && compareQuantities(this.text, other.text) === 0;
  }
}

const signOf = (left: string, right: string): bigint => BigInt(Math.sign(compareQuantities(left, right)));
const sum = (left: string, right: string): Quantity =>
  new Quantity(formatQuantity(addQuantities(parseQuantity(left), parseQuantity(right))));
const negated = (text: string): string => (text.startsWith("-") ? text.slice(1) : `-${text.replace(/^\+/, "")}`);

/** Returns a method that takes another quantity or an integer. */
function withQuantity(work: (left: string, right: string) => CelValue): Methods<Quantity>[string] {
  return ({ text }, other) => {
    const right = other instanceof Quantity ? other.text : typeof other === "bigint" ? String(other) : undefined;
    return right === undefined ? undefined : work(text, right);
  };
}

const quantityMethods: Methods<Quantity> = {
  sign: ({ text }) => signOf(text, "0"),
  isInteger: ({ text }) => Number.isInteger(quantityToNumber(text)),
  asInteger({ text }) {
    const number = quantityToNumber(text);
    if (!Number.isInteger(number)) throw new CelError("cannot convert value to integer");
    return BigInt(number);
  },
  asApproximateFloat: ({ text }) => quantityToNumber(text),
  isGreaterThan: withQuantity((left, right) => signOf(left, right) > 0n),
  isLessThan: withQuantity((left, right) => signOf(left, right) < 0n),
  compareTo: withQuantity(signOf),
  add: withQuantity(sum),
  sub: withQuantity((left, right) => sum(left, negated(right))),
};

const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

class Url extends CelOpaque {
  readonly typeName = "kubernetes.URL";
  readonly url: URL;
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
    const isUrl =
      !/\s/.test(text) && (text.startsWith("/") || scheme.test(text)) && URL.canParse(text, "http://localhost");
    if (!isUrl) throw new CelError(`URL parse error: ${JSON.stringify(text)} is not a URI`);
    this.url = new URL(text, "http://localhost");
  }

  /** The host with its port, if the URL has a scheme. */
  get authority(): string {
    return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(this.text)?.[1] ?? "";
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    return callOwn(urlMethods, method, this, args);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

const urlMethods: Methods<Url> = {
  getScheme: ({ text, url }) => (text.startsWith("/") ? "" : url.protocol.replace(/:$/, "")),
  getHost: ({ authority }) => authority,
  getHostname: ({ authority }) => authority.replace(/:\d+$/, "").replace(/^\[|\]$/g, ""),
  getPort: ({ authority }) => /:(\d+)$/.exec(authority)?.[1] ?? "",
  getEscapedPath: ({ text }) => /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/.exec(text)?.[1] ?? "",
  getQuery({ url: { searchParams } }) {
    return new LiteralMap([...new Set(searchParams.keys())].map((key) => [key, searchParams.getAll(key)] as const));
  },
};

class Ip extends CelOpaque {
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
const isUnspecified = (bytes: readonly number[]): boolean => bytes.every((byte) => byte === 0);
const isLoopback = (bytes: readonly number[]): boolean =>
  isFour(bytes) ? bytes[0] === 127 : isUnspecified(bytes.slice(0, 15)) && bytes[15] === 1;
const isLinkLocalUnicast = (bytes: readonly number[]): boolean =>
  isFour(bytes) ? bytes[0] === 169 && bytes[1] === 254 : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isMulticast = (bytes: readonly number[]): boolean =>
  isFour(bytes) ? bytes[0]! >= 224 && bytes[0]! < 240 : bytes[0] === 0xff;

const ipMethods: Methods<Ip> = {
  family: ({ bytes }) => (isFour(bytes) ? 4n : 6n),
  isUnspecified: ({ bytes }) => isUnspecified(bytes),
  isLoopback: ({ bytes }) => isLoopback(bytes),
  isLinkLocalMulticast: ({ bytes }) =>
    isFour(bytes) ? bytes.slice(0, 3).join(".") === "224.0.0" : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2,
  isLinkLocalUnicast: ({ bytes }) => isLinkLocalUnicast(bytes),
  isGlobalUnicast: ({ bytes }) =>
    ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast].some((isOther) => isOther(bytes)) &&
    !(isFour(bytes) && bytes.every((byte) => byte === 255)),
  string: ({ canonical }) => canonical,
};

class Cidr extends CelOpaque {
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
    return callOwn(semverMethods, method, this, args);
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

/** Returns a method that compares with another version. */
function withSemver(work: (order: number) => CelValue): Methods<Semver>[string] {
  return (self, other) => (other instanceof Semver ? work(self.compare(other)) : undefined);
}

const semverMethods: Methods<Semver> = {
  major: ({ numbers }) => numbers[0],
  minor: ({ numbers }) => numbers[1],
  patch: ({ numbers }) => numbers[2],
  compareTo: withSemver((order) => BigInt(order)),
  isGreaterThan: withSemver((order) => order > 0),
  isLessThan: withSemver((order) => order < 0),
};

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
