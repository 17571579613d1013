import { describe, expect, it } from "vitest";
import { definition, definitions, openWidgets } from "./widgets.js";

const { open, call } = openWidgets();

it("server serves a definition's resource before a watch says Established", async () => {
  const server = open();
  const count = 30;
  const watch = await server.handle(new Request(`http://server${definitions}?watch=1&resourceVersion=0`));
  const results = new Map<string, number>();
  const watched = (async () => {
    let text = "";
    for await (const chunk of watch.body!) {
      text += Buffer.from(chunk as Uint8Array).toString();
      const lines = text.split("\n");
      text = lines.pop()!;
      for (const line of lines) {
        const { metadata, spec, status } = (JSON.parse(line) as { object: any }).object;
        const established = status?.conditions?.some(
          (each: any) => each.type === "Established" && each.status === "True",
        );
        if (established !== true || results.has(metadata.name as string)) continue;
        results.set(metadata.name as string, 0);
        const body = { apiVersion: `${spec.group}/v1`, kind: "Widget", metadata: { name: "a" } };
        const path = `/apis/${spec.group}/v1/namespaces/default/widgets`;
        results.set(metadata.name as string, (await call("POST", path, body)).status);
        if (results.size === count) return;
      }
    }
  })();
  const template = definition({ type: "object" }) as { metadata: object; spec: object };
  await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const group = `g${index}.dev`;
      return call("POST", definitions, {
        ...template,
        metadata: { name: `widgets.${group}` },
        spec: { ...template.spec, group },
      });
    }),
  );
  await watched;
  expect([...results.values()].filter((status) => status !== 201)).toEqual([]);
});

describe("CustomResourceDefinition is rejected", () => {
  it.each<[string, object, string]>([
    [
      "a schema without a type",
      { properties: {} },
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].type",
    ],
    [
      "a list without items",
      { type: "array" },
      "FieldValueRequired spec.validation.openAPIV3Schema.properties[spec].items",
    ],
    [
      "a default of a wrong type",
      { type: "object", properties: { n: { type: "integer", default: "x" } } },
      "FieldValueTypeInvalid spec.validation.openAPIV3Schema.properties[spec].properties[n].default",
    ],
    [
      "list keys that aren't properties",
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object" },
      },
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-list-map-keys",
    ],
    [
      "a type inside an alternative",
      { type: "object", anyOf: [{ type: "object" }] },
      "FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].anyOf[0].type",
    ],
    [
      "a broken pattern",
      { type: "string", pattern: "(" },
      "FieldValueInvalid spec.validation.openAPIV3Schema.properties[spec].pattern",
    ],
  ])("for %s", async (_name, schema, expected) => {
    open();
    const { status, body } = await call("POST", definitions, definition(schema));
    expect(status).toBe(422);
    expect(
      body.details.causes.map((cause: { reason: string; field: string }) => `${cause.reason} ${cause.field}`),
    ).toContain(expected);
  });
});
