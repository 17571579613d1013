import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CelCompileError } from "../../../../src/apiserver/cel/checker/check.js";
import { compilePolicyCel, policyResults } from "../../../../src/apiserver/cel/policy.js";

/**
 * Expressions and kube-apiserver's errors for them as policy validations, one line per error without its marker; empty
 * if the expression compiles.
 */
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

describe("policy expressions compile or fail as in kube-apiserver", () => {
  it.each(recorded)("%s", (expression, message) => {
    expect(isTaken(expression)).toBe(message === "");
  });
});
