import { CelError, CelOpaque, type CelValue } from "../../values/values.js";
import { callOwn, type Methods } from "./methods.js";

/** Normalizes a version: no leading `v` or zeros, and three numbers. Throws a `CelError`. */
export function normalVersion(text: string): string {
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

/** A value of `semver()`. */
export class Semver extends CelOpaque {
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
