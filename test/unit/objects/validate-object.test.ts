import { describe, expect, it } from "vitest";
import { defineKind } from "../../../src/meta/define-kind.js";
import type { StandardIssue, StandardSchema } from "../../../src/meta/standard-schema.js";
import { validateObject } from "../../../src/objects/validate-object.js";

interface Input {
  spec: { size?: number };
}
interface Output {
  spec: { size: number };
}

/** A kind whose validator fills in a default and drops unknown fields, or reports the given problems. */
function widget(issues?: readonly StandardIssue[]) {
  const validate = (value: unknown) =>
    issues === undefined ? { value: { spec: { size: (value as Input).spec.size ?? 1 } } } : { issues };
  const schema: StandardSchema<Input, Output> = {
    // Validators may answer later.
    "~standard": { version: 1, vendor: "test", validate: (value) => Promise.resolve(validate(value)) },
  };
  return defineKind({
    group: "example.com",
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
    schema,
  });
}

describe("validateObject", () => {
  it("returns the output of the schema with the identity of the object", async () => {
    const stored = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: {}, extra: 1 };
    const valid = await validateObject(widget(), stored);
    const size: number = valid.spec.size;
    expect([valid, size]).toEqual([
      { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" }, spec: { size: 1 } },
      1,
    ]);
    expect(stored.spec).toEqual({});
    expect(await validateObject(widget(), { spec: { size: 2 } } as object)).toEqual({ spec: { size: 2 } });
  });

  it.each<[string, StandardIssue[], string]>([
    ["a field", [{ message: "Required", path: ["spec", "size"] }], 'invalid Widget "a": spec.size: Required'],
    [
      "an item of a list, and a path of objects",
      [{ message: "too long", path: [{ key: "spec" }, "parts", 3, { key: "name" }] }],
      'invalid Widget "a": spec.parts[3].name: too long',
    ],
    ["the object itself", [{ message: "not a widget" }], 'invalid Widget "a": not a widget'],
    [
      "several fields",
      [
        { message: "x", path: ["spec"] },
        { message: "y", path: ["status"] },
      ],
      'invalid Widget "a": spec: x; status: y',
    ],
  ])("rejects with the place of %s", async (_title, issues, message) => {
    await expect(validateObject(widget(issues), { metadata: { name: "a" } })).rejects.toThrow(new TypeError(message));
  });
});
