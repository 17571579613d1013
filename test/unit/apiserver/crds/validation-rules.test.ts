import { describe, expect, it } from "vitest";
import type { Answer } from "./widgets.js";
import { definition, definitions, openWidgets, widget, widgets } from "./widgets.js";

const { open, call, define } = openWidgets();

describe("validation rules", () => {
  const rules = (list: object[], more: object = {}): object => ({
    type: "object",
    properties: {
      min: { type: "integer" },
      max: { type: "integer" },
      name: { type: "string" },
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: {
          type: "object",
          required: ["k"],
          properties: {
            k: { type: "string" },
            v: {
              type: "integer",
              "x-kubernetes-validations": [{ rule: "self >= oldSelf", message: "must not shrink" }],
            },
          },
        },
      },
    },
    "x-kubernetes-validations": list,
    ...more,
  });
  const causes = (answer: Answer): string[] =>
    answer.body.details.causes.map(
      (cause: { reason: string; field: string; message: string }) => `${cause.reason} ${cause.field} ${cause.message}`,
    );

  it("apply to objects with their own messages, reasons and field paths", async () => {
    await define(
      rules([
        { rule: "self.min <= self.max", message: "min above max", fieldPath: ".min" },
        {
          rule: "!has(self.name) || self.name.matches('^[a-z]+$')",
          messageExpression: "'bad name ' + self.name",
          reason: "FieldValueForbidden",
        },
      ]),
    );
    expect((await call("POST", widgets, widget({ min: 1, max: 2, name: "a" }))).status).toBe(201);
    expect(causes(await call("POST", widgets, widget({ min: 3, max: 2, name: "A" }, "b")))).toEqual([
      "FieldValueInvalid spec.min Invalid value: min above max",
      "FieldValueForbidden spec Forbidden: bad name A",
    ]);
    expect(causes(await call("POST", widgets, widget({ max: 2 }, "c")))).toEqual([
      'FieldValueInvalid spec Invalid value: "object": no such key: min evaluating rule: min above max',
    ]);
  });

  it("compare with the old object, element by element in lists with keys", async () => {
    await define(rules([{ rule: "self.name == oldSelf.name", message: "name is fixed" }]));
    await call(
      "POST",
      widgets,
      widget({
        name: "a",
        list: [
          { k: "x", v: 1 },
          { k: "y", v: 5 },
        ],
      }),
    );
    const patch = (spec: object): Promise<Answer> =>
      call("PATCH", `${widgets}/a`, { spec }, "application/merge-patch+json");
    expect(
      (
        await patch({
          list: [
            { k: "y", v: 6 },
            { k: "x", v: 1 },
            { k: "new", v: 0 },
          ],
        })
      ).status,
    ).toBe(200);
    expect(causes(await patch({ list: [{ k: "y", v: 2 }] }))).toEqual([
      "FieldValueInvalid spec.list[0].v Invalid value: 2: must not shrink",
    ]);
    expect(causes(await patch({ name: "b" }))).toEqual(["FieldValueInvalid spec Invalid value: name is fixed"]);
  });

  it.each<[string, object, string]>([
    [
      "does not compile",
      { rule: "self.nope" },
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
    ],
    [
      "doesn't return a bool",
      { rule: "self.min" },
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
    ],
    [
      "is empty",
      { rule: " " },
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
    ],
    [
      "costs too much",
      { rule: "self.list.all(a, self.list.all(b, a.k != b.k))" },
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
    ],
    [
      "has an invalid fieldPath",
      { rule: "true", fieldPath: ".nope" },
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].fieldPath",
    ],
  ])("are rejected if one %s", async (_name, rule, expected) => {
    open();
    const answer = await call("POST", definitions, definition(rules([rule])));
    expect(answer.status).toBe(422);
    expect(causes(answer).map((cause) => cause.split(" ").slice(0, 2).join(" "))).toContain(expected);
  });
});
