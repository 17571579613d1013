import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityToNumber,
} from "../../../../meta/quantity.js";
import { CelError, CelOpaque, type CelValue } from "../../values/values.js";
import { digitSteps } from "./digit-steps.js";
import { callOwn, type Methods } from "./methods.js";

/** A value of `quantity()`. */
export class Quantity extends CelOpaque {
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

  override get weight(): number {
    return digitSteps(this.text);
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
