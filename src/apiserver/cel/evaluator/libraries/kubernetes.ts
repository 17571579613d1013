import { parseQuantity } from "../../../../meta/quantity.js";
import { isCidr, isIpv4, isIpv6 } from "../../../objects/formats.js";
import { CelOptional, type CelValue } from "../../values/values.js";
import { Cidr, Ip } from "./addresses.js";
import { formatNames, NamedFormat } from "./named-format.js";
import { Quantity } from "./quantity.js";
import { normalVersion, Semver } from "./semver.js";
import { Url } from "./url.js";

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

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false; // An unparsable argument is a valid answer here.
  }
}
