/**
 * The methods that values of each type have, as signatures: kinds of arguments, those after `?` may be left out. `*` stands for anything.
 * What has no entry has methods that are only known when an expression runs.
 */
export const methodsOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bool: {},
  int: {},
  uint: {},
  double: {},
  null_type: {},
  bytes: { size: "" },
  string: {
    size: "", startsWith: "string", endsWith: "string", contains: "string", matches: "string", charAt: "int", indexOf: "string ? int", lastIndexOf: "string ? int", lowerAscii: "", upperAscii: "",
    replace: "string string ? int", split: "string ? int", substring: "int ? int", trim: "", format: "list", find: "string", findAll: "string ? int",
  },
  timestamp: {
    getFullYear: "? string", getMonth: "? string", getDate: "? string", getDayOfMonth: "? string", getDayOfWeek: "? string", getDayOfYear: "? string", getHours: "? string", getMinutes: "? string", getSeconds: "? string",
    getMilliseconds: "? string",
  },
  duration: { getHours: "", getMinutes: "", getSeconds: "", getMilliseconds: "" },
  list: {
    size: "", isSorted: "", sum: "", min: "", max: "", indexOf: "*", lastIndexOf: "*", join: "? string", slice: "int int", flatten: "? int", distinct: "", reverse: "", sort: "", first: "", last: "",
  },
  map: { size: "" },
};

/** Functions that are called without a value before them. */
export const globalFunctions: ReadonlySet<string> = new Set([
  "size", "int", "uint", "double", "string", "bool", "bytes", "timestamp", "duration", "type", "dyn", "matches", "quantity", "isQuantity", "url", "isURL", "ip", "isIP", "cidr", "isCIDR", "semver", "isSemver", "has", "sign",
]);

/** Methods of values whose types are only known when an expression runs. */
const otherMethods = [
  "hasValue", "value", "orValue", "or", "optMap", "optFlatMap", "validate", "isInteger", "asInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "getScheme", "getHost", "getHostname", "getPort",
  "getEscapedPath", "getQuery", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast", "ip", "string", "prefixLength", "masked", "containsIP", "containsCIDR", "major", "minor", "patch",
  "path", "group", "serviceAccount", "resource", "subresource", "namespace", "name", "check", "fieldSelector", "labelSelector", "allowed", "reason", "errored", "error",
];

/** The names of all methods. */
export const methodNames: ReadonlySet<string> = new Set([...otherMethods, ...Object.values(methodsOf).flatMap(Object.keys)]);

/** Whether arguments of these kinds go with a signature. */
export function fits(signature: string, kinds: readonly string[]): boolean {
  const words = signature.split(" ").filter((word) => word !== "");
  const least = words.includes("?") ? words.indexOf("?") : words.length;
  const expected = words.filter((word) => word !== "?");
  return kinds.length >= least && kinds.length <= expected.length && kinds.every((kind, at) => expected[at] === "*" || kind === "dyn" || kind === expected[at]);
}
