import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CelCompileError } from "../../../../src/apiserver/cel/check.js";
import { compilePolicyCel, policyResults } from "../../../../src/apiserver/cel/policy.js";

/** Expressions with what a kube-apiserver said of them as validations of a policy, one line for each error without its mark; an empty text for those it took. */
const recorded = JSON.parse(readFileSync(new URL("cel-messages.json", import.meta.url), "utf8")) as [
  expression: string,
  message: string,
][];

function messages(expression: string): string {
  try {
    compilePolicyCel(expression, { params: false, authorizer: true }, policyResults.condition);
    return "";
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    const [first, ...others] = error.message.replace(/^compilation failed: /, "").split("\nERROR: ");
    return [first!.replace(/^ERROR: /, ""), ...others]
      .map((part) => part.replace(/^<input>:/, "").split("\n | ")[0]!)
      .join("\n");
  }
}

describe("what a server says of expressions", () => {
  it.each(recorded)("%s", (expression, message) => {
    expect(messages(expression)).toBe(message);
  });

  it("marks the place under the line", () => {
    expect(() => compilePolicyCel("true &&\n\t'日本' == foo", { params: false, authorizer: true })).toThrow(
      "compilation failed: ERROR: <input>:2:10: undeclared reference to 'foo' (in container '')\n |  '日本' == foo\n | ..．．.....^",
    );
  });
});
