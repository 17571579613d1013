import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CelCompileError } from "../../../../src/apiserver/cel/checker/check.js";
import { compilePolicyCel, policyResults } from "../../../../src/apiserver/cel/policy.js";

/** Expressions with what a kube-apiserver said of them as validations of a policy, one line for each error without its mark; an empty text for those it took. */
const recorded = JSON.parse(readFileSync(new URL("cel-messages.json", import.meta.url), "utf8")) as [
  expression: string,
  message: string,
][];

function isTaken(expression: string): boolean {
  try {
    compilePolicyCel(expression, { params: false, authorizer: true }, policyResults.condition);
    return true;
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return false;
  }
}

describe("expressions that a server takes or refuses", () => {
  it.each(recorded)("%s", (expression, message) => {
    expect(isTaken(expression)).toBe(message === "");
  });
});
