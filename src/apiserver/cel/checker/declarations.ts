import { words } from "../../internal/words.js";
import type { CelStaticType } from "./types.js";

/** An overload of a function. */
export interface CelOverload {
  /** True if it is called as a method of its first argument. */
  readonly member: boolean;
  readonly args: readonly CelStaticType[];
  readonly result: CelStaticType;
}

const comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const forEach = (types: readonly string[], text: string): string =>
  types.map((type) => text.replaceAll("$", type)).join("; ");
const ordered = `(bool, bool) bool; ${forEach(["int", "uint", "double"], "($, int) bool; ($, uint) bool; ($, double) bool")}; (string, string) bool; (bytes, bytes) bool; (timestamp, timestamp) bool; (duration, duration) bool`;
const arithmetic = "(double, double) double; (int, int) int; (uint, uint) uint";
const timestampPart = "timestamp.() int; timestamp.(string) int";
const versionOrQuantity = (result: string): string => `Quantity.(Quantity) ${result}; Semver.(Semver) ${result}`;
const formats = words(
  "dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix dns1123SubdomainPrefix",
  "dns1035LabelPrefix labelValue uri uuid byte date datetime",
);

/**
 * Functions with their overloads: `receiver.(arguments) result` for methods, `(arguments) result` for others. A single
 * capital letter is a type parameter.
 */
const texts: Readonly<Record<string, string>> = {
  "_?_:_": "(bool, A, A) A",
  "!_": "(bool) bool",
  "-_": "(double) double; (int) int",
  "_==_": "(A, A) bool",
  "_!=_": "(A, A) bool",
  "_<_": ordered,
  "_<=_": ordered,
  "_>_": ordered,
  "_>=_": ordered,
  "_+_": `(bytes, bytes) bytes; (double, double) double; (duration, duration) duration; (duration, timestamp) timestamp; (timestamp, duration) timestamp; (int, int) int; (list(A), list(A)) list(A); (string, string) string; (uint, uint) uint`,
  "_-_": `(double, double) double; (duration, duration) duration; (int, int) int; (timestamp, duration) timestamp; (timestamp, timestamp) duration; (uint, uint) uint`,
  "_*_": arithmetic,
  "_/_": arithmetic,
  "_%_": "(int, int) int; (uint, uint) uint",
  "_[_]":
    "(list(A), int) A; (map(A, B), A) B; (optional(list(A)), int) optional(A); (optional(map(A, B)), A) optional(B)",
  "_[?_]":
    "(list(A), int) optional(A); (optional(list(A)), int) optional(A); (map(A, B), A) optional(B); (optional(map(A, B)), A) optional(B)",
  "@in": "(A, list(A)) bool; (A, map(A, B)) bool",
  size: "(bytes) int; bytes.() int; (list(A)) int; list(A).() int; (map(A, B)) int; map(A, B).() int; (string) int; string.() int",
  type: "(A) type(A)",
  dyn: "(A) dyn",
  bool: "(bool) bool; (string) bool",
  bytes: "(bytes) bytes; (string) bytes",
  double: "(double) double; (int) double; (string) double; (uint) double",
  duration: "(duration) duration; (int) duration; (string) duration",
  int: "(int) int; (double) int; (duration) int; (string) int; (timestamp) int; (uint) int",
  string:
    "(string) string; (bool) string; (bytes) string; (double) string; (duration) string; (int) string; (timestamp) string; (uint) string; (IP) string; (CIDR) string",
  timestamp: "(timestamp) timestamp; (int) timestamp; (string) timestamp",
  uint: "(uint) uint; (double) uint; (int) uint; (string) uint",
  contains: "string.(string) bool",
  endsWith: "string.(string) bool",
  startsWith: "string.(string) bool",
  matches: "(string, string) bool; string.(string) bool",
  getFullYear: timestampPart,
  getMonth: timestampPart,
  getDayOfYear: timestampPart,
  getDayOfMonth: timestampPart,
  getDate: timestampPart,
  getDayOfWeek: timestampPart,
  getHours: `${timestampPart}; duration.() int`,
  getMinutes: `${timestampPart}; duration.() int`,
  getSeconds: `${timestampPart}; duration.() int`,
  getMilliseconds: `${timestampPart}; duration.() int`,
  charAt: "string.(int) string",
  indexOf: "string.(string) int; string.(string, int) int; list(A).(A) int",
  lastIndexOf: "string.(string) int; string.(string, int) int; list(A).(A) int",
  lowerAscii: "string.() string",
  upperAscii: "string.() string",
  replace: "string.(string, string) string; string.(string, string, int) string",
  split: "string.(string) list(string); string.(string, int) list(string)",
  substring: "string.(int) string; string.(int, int) string",
  trim: "string.() string",
  format: "string.(list(dyn)) string",
  "strings.quote": "(string) string",
  join: "list(string).() string; list(string).(string) string",
  find: "string.(string) string",
  findAll: "string.(string) list(string); string.(string, int) list(string)",
  "sets.contains": "(list(T), list(T)) bool",
  "sets.equivalent": "(list(T), list(T)) bool",
  "sets.intersects": "(list(T), list(T)) bool",
  isSorted: forEach(comparable, "list($).() bool"),
  sum: forEach(["int", "uint", "double", "duration"], "list($).() $"),
  max: forEach(comparable, "list($).() $"),
  min: forEach(comparable, "list($).() $"),
  slice: "list(T).(int, int) list(T)",
  flatten: "list(list(T)).() list(T); list(dyn).(int) list(dyn)",
  sort: forEach(comparable, "list($).() list($)"),
  "@sortByAssociatedKeys": forEach(comparable, "list(T).(list($)) list(T)"),
  "lists.range": "(int) list(int)",
  reverse: "list(T).() list(T)",
  distinct: "list(T).() list(T)",
  first: "list(V).() optional(V)",
  last: "list(V).() optional(V)",
  "cel.@mapInsert": "(map(K, V), K, V) map(K, V); (map(K, V), map(K, V)) map(K, V)",
  "optional.of": "(V) optional(V)",
  "optional.ofNonZeroValue": "(V) optional(V)",
  "optional.none": "() optional(V)",
  "optional.unwrap": "(list(optional(V))) list(V)",
  unwrapOpt: "list(optional(V)).() list(V)",
  value: "optional(V).() V",
  hasValue: "optional(V).() bool",
  or: "optional(V).(optional(V)) optional(V)",
  orValue: "optional(V).(V) V",
  quantity: "(string) Quantity",
  isQuantity: "(string) bool",
  sign: "(Quantity) int",
  isGreaterThan: versionOrQuantity("bool"),
  isLessThan: versionOrQuantity("bool"),
  compareTo: versionOrQuantity("int"),
  asApproximateFloat: "Quantity.() double",
  asInteger: "Quantity.() int",
  isInteger: "Quantity.() bool",
  add: "Quantity.(Quantity) Quantity; Quantity.(int) Quantity",
  sub: "Quantity.(Quantity) Quantity; Quantity.(int) Quantity",
  semver: "(string) Semver; (string, bool) Semver",
  isSemver: "(string) bool; (string, bool) bool",
  major: "Semver.() int",
  minor: "Semver.() int",
  patch: "Semver.() int",
  url: "(string) URL",
  isURL: "(string) bool",
  getScheme: "URL.() string",
  getHost: "URL.() string",
  getHostname: "URL.() string",
  getPort: "URL.() string",
  getEscapedPath: "URL.() string",
  getQuery: "URL.() map(string, list(string))",
  ip: "(string) IP; CIDR.() IP",
  isIP: "(string) bool",
  "ip.isCanonical": "(string) bool",
  family: "IP.() int",
  isUnspecified: "IP.() bool",
  isLoopback: "IP.() bool",
  isLinkLocalMulticast: "IP.() bool",
  isLinkLocalUnicast: "IP.() bool",
  isGlobalUnicast: "IP.() bool",
  cidr: "(string) CIDR",
  isCIDR: "(string) bool",
  containsIP: "CIDR.(string) bool; CIDR.(IP) bool",
  containsCIDR: "CIDR.(string) bool; CIDR.(CIDR) bool",
  prefixLength: "CIDR.() int",
  masked: "CIDR.() CIDR",
  validate: "Format.(string) optional(list(string))",
  "format.named": "(string) optional(Format)",
  ...Object.fromEntries(formats.map((name) => [`format.${name}`, "() Format"])),
  path: "Authorizer.(string) PathCheck",
  group: "Authorizer.(string) GroupCheck",
  serviceAccount: "Authorizer.(string, string) Authorizer",
  resource: "GroupCheck.(string) ResourceCheck",
  subresource: "ResourceCheck.(string) ResourceCheck",
  namespace: "ResourceCheck.(string) ResourceCheck",
  name: "ResourceCheck.(string) ResourceCheck",
  fieldSelector: "ResourceCheck.(string) ResourceCheck",
  labelSelector: "ResourceCheck.(string) ResourceCheck",
  check: "PathCheck.(string) Decision; ResourceCheck.(string) Decision",
  errored: "Decision.() bool",
  error: "Decision.() string",
  allowed: "Decision.() bool",
  reason: "Decision.() string",
};

/** Kubernetes library types by their short names in the declarations. */
const opaque: Readonly<Record<string, string>> = {
  Quantity: "kubernetes.Quantity",
  Semver: "kubernetes.Semver",
  URL: "kubernetes.URL",
  IP: "net.IP",
  CIDR: "net.CIDR",
  Format: "kubernetes.NamedFormat",
  Authorizer: "kubernetes.authorization.Authorizer",
  PathCheck: "kubernetes.authorization.PathCheck",
  GroupCheck: "kubernetes.authorization.GroupCheck",
  ResourceCheck: "kubernetes.authorization.ResourceCheck",
  Decision: "kubernetes.authorization.Decision",
};

/** Type names that expressions can use as values. */
export const typeNames: ReadonlyMap<string, CelStaticType> = new Map<string, CelStaticType>([
  ...(["bool", "bytes", "double", "int", "null_type", "string", "uint"] as const).map(
    (kind) => [kind, { kind }] as const,
  ),
  ["list", { kind: "list", item: { kind: "dyn" } }],
  ["map", { kind: "map", key: { kind: "dyn" }, value: { kind: "dyn" } }],
  ["type", { kind: "type" }],
  ["optional_type", { kind: "optional", item: { kind: "dyn" } }],
  ["google.protobuf.Timestamp", { kind: "timestamp" }],
  ["google.protobuf.Duration", { kind: "duration" }],
  ...Object.values(opaque).map((name) => [name, { kind: "object", name }] as const),
]);

const overloads = new Map<string, readonly CelOverload[]>();

/** Returns the overloads of a function, or `undefined` for an unknown one. */
export function overloadsOf(name: string, patches: boolean): readonly CelOverload[] | undefined {
  if (name === "jsonpatch.escapeKey" && patches)
    return [{ member: false, args: [{ kind: "string" }], result: { kind: "string" } }];
  if (!Object.hasOwn(texts, name)) return undefined;
  let found = overloads.get(name);
  if (found === undefined) overloads.set(name, (found = texts[name]!.split("; ").map(overload)));
  return found;
}

/** Returns a Kubernetes library type by its short name. */
export function opaqueType(name: string): CelStaticType {
  return { kind: "object", name: opaque[name] ?? name };
}

function overload(text: string): CelOverload {
  const [, receiver, args, result] = /^(?:(.+)\.)?\((.*?)\) ([^ ].*)$/.exec(text)!;
  const types = args === "" ? [] : splitTypes(args!).map(typeOf);
  return receiver === undefined
    ? { member: false, args: types, result: typeOf(result!) }
    : { member: true, args: [typeOf(receiver), ...types], result: typeOf(result!) };
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  [...text].forEach((character, at) => {
    depth += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (character !== "," || depth > 0) return;
    parts.push(text.slice(start, at));
    start = at + 2;
  });
  return [...parts, text.slice(start)];
}

function typeOf(text: string): CelStaticType {
  const [, name, inner] = /^(\w+)(?:\((.*)\))?$/.exec(text)!;
  if (inner !== undefined) {
    const [first, second] = splitTypes(inner).map(typeOf);
    if (name === "map") return { kind: "map", key: first!, value: second! };
    return name === "type" ? { kind: "type", of: first! } : { kind: name as "list" | "optional", item: first! };
  }
  if (/^[A-Z]$/.test(name!)) return { kind: "param", name: name! };
  return Object.hasOwn(opaque, name!) ? opaqueType(name!) : { kind: name as "int" };
}
