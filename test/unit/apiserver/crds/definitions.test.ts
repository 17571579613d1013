import { afterEach, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const widgets = "/apis/cf.dev/v1/namespaces/default/widgets";
let server: ApiServer;

interface Answer {
  status: number;

  body: any;
  warnings: string[];
}

async function call(method: string, path: string, body?: unknown, type = "application/json"): Promise<Answer> {
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: { authorization: "Bearer t", ...(body === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const warnings = [...(response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((match) =>
    match[1]!.replaceAll("\\", ""),
  );
  return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as unknown) : text, warnings };
}

function definition(schema: object, version: object = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.cf.dev" },
    spec: {
      group: "cf.dev",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["w"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
          ...version,
        },
      ],
    },
  };
}

async function define(schema: object, version?: object): Promise<void> {
  server = createApiServer({
    tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
  });
  expect((await call("POST", definitions, definition(schema, version))).status).toBe(201);
  await server.settled();
}

const widget = (spec: unknown, name = "a"): object => ({
  apiVersion: "cf.dev/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});

afterEach(async () => {
  await server.close();
});

describe("custom resource", () => {
  it("is served under its names and listed in discovery", async () => {
    await define({ type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const { body } = await call("GET", `${definitions}/widgets.cf.dev`);
    expect(
      body.status.conditions.map(
        (condition: { type: string; status: string }) => `${condition.type} ${condition.status}`,
      ),
    ).toEqual(["NamesAccepted True", "Established True"]);
    expect(body.status.acceptedNames).toEqual({
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
      shortNames: ["w"],
    });
    const resources = (await call("GET", "/apis/cf.dev/v1")).body.resources as { name: string }[];
    expect(resources.map((resource) => resource.name)).toEqual(["widgets"]);
  });

  it("is pruned, defaulted and stripped of nulls", async () => {
    await define({
      type: "object",
      properties: {
        known: { type: "string" },
        size: { type: "integer", default: 3 },
        nul: { type: "string" },
        maybe: { type: "string", nullable: true },
        keep: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { strict: { type: "object", properties: { a: { type: "string" } } } },
        },
        list: { type: "array", items: { type: "object", properties: { a: { type: "string", default: "x" } } } },
      },
    });
    const { status, body, warnings } = await call(
      "POST",
      widgets,
      widget({
        known: "k",
        extra: 1,
        nul: null,
        maybe: null,
        keep: { any: 1, strict: { a: "1", b: 2 } },
        list: [{ b: 1 }],
      }),
    );
    expect(status).toBe(201);
    expect(body.spec).toEqual({
      known: "k",
      size: 3,
      maybe: null,
      keep: { any: 1, strict: { a: "1" } },
      list: [{ a: "x" }],
    });
    expect(warnings).toEqual([
      'unknown field "spec.extra"',
      'unknown field "spec.keep.strict.b"',
      'unknown field "spec.list[0].b"',
    ]);
  });

  it("is validated, except for unchanged invalid values", async () => {
    await define({ type: "object", properties: { n: { type: "integer" }, s: { type: "string" } } });
    await call("POST", widgets, widget({ n: 50, s: "x" }));
    const stricter = definition({
      type: "object",
      properties: { n: { type: "integer", maximum: 10 }, s: { type: "string", pattern: "^[a-z]+$" } },
    });
    expect(
      (
        await call(
          "PATCH",
          `${definitions}/widgets.cf.dev`,
          { spec: (stricter as { spec: object }).spec },
          "application/merge-patch+json",
        )
      ).status,
    ).toBe(200);
    await server.settled();
    expect((await call("PATCH", `${widgets}/a`, { spec: { s: "y" } }, "application/merge-patch+json")).status).toBe(
      200,
    );
    const { status, body } = await call(
      "PATCH",
      `${widgets}/a`,
      { spec: { n: 51, s: "Z" } },
      "application/merge-patch+json",
    );
    expect(status).toBe(422);
    expect(
      body.details.causes.map((cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`).sort(),
    ).toEqual([
      "spec.n: Invalid value: 51: spec.n in body should be less than or equal to 10",
      "spec.s: Invalid value: \"Z\": spec.s in body should match '^[a-z]+$'",
    ]);
  });

  it("isn't slowed down by a pathological pattern", async () => {
    await define({ type: "object", properties: { s: { type: "string", pattern: "^(a+)+$" } } });
    expect((await call("POST", widgets, widget({ s: `${"a".repeat(5000)}!` }))).status).toBe(422);
  });

  it("accepts __proto__ as a key", async () => {
    await define({ type: "object", additionalProperties: { type: "string" } });
    const response = await call(
      "POST",
      widgets,
      JSON.parse(`{"apiVersion":"cf.dev/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"__proto__":"x"}}`),
    );
    expect(JSON.stringify(response.body.spec)).toBe(`{"__proto__":"x"}`);
  });

  it("is printed with its columns", async () => {
    await define(
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      {
        additionalPrinterColumns: [
          { name: "N", type: "integer", jsonPath: ".spec.n" },
          { name: "Ready", type: "string", jsonPath: '.spec.conditions[?(@.type=="Ready")].status' },
          { name: "Last", type: "string", jsonPath: ".spec.list[-1]" },
          { name: "Bad", type: "string", jsonPath: ".spec[" },
        ],
      },
    );
    await call(
      "POST",
      widgets,
      widget({
        n: 4,
        conditions: [
          { type: "A", status: "no" },
          { type: "Ready", status: "True" },
        ],
        list: ["x", "y"],
      }),
    );
    const response = await server.handle(
      new Request(`http://server${widgets}`, {
        headers: { authorization: "Bearer t", accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      }),
    );
    const table = (await response.json()) as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };
    expect(table.columnDefinitions.map((column) => column.name)).toEqual(["Name", "N", "Ready", "Last", "Bad"]);
    expect(table.rows[0]?.cells).toEqual(["a", 4, "True", "y", null]);
  });

  it("is deleted with its definition, unless a finalizer holds it", async () => {
    await define({ type: "object" });
    await call("POST", widgets, widget({}, "free"));
    await call("POST", widgets, { ...widget({}, "held"), metadata: { name: "held", finalizers: ["cf.dev/x"] } });
    expect((await call("DELETE", `${definitions}/widgets.cf.dev`)).status).toBe(200);
    await server.settled();
    expect((await call("GET", `${widgets}/free`)).status).toBe(404);
    expect((await call("POST", widgets, widget({}, "late"))).status).toBe(403);
    await call("PATCH", `${widgets}/held`, { metadata: { finalizers: null } }, "application/merge-patch+json");
    await server.settled();
    expect((await call("GET", `${definitions}/widgets.cf.dev`)).status).toBe(404);
    expect(await call("GET", widgets)).toMatchObject({ status: 404, body: "404 page not found\n" });
  });
});

it("server serves a definition's resource before a watch says Established", async () => {
  server = createApiServer({
    tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
  });
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
    server = createApiServer({
      tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
    });
    const { status, body } = await call("POST", definitions, definition(schema));
    expect(status).toBe(422);
    expect(
      body.details.causes.map((cause: { reason: string; field: string }) => `${cause.reason} ${cause.field}`),
    ).toContain(expected);
  });
});

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
    server = createApiServer({
      tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
    });
    const answer = await call("POST", definitions, definition(rules([rule])));
    expect(answer.status).toBe(422);
    expect(causes(answer).map((cause) => cause.split(" ").slice(0, 2).join(" "))).toContain(expected);
  });
});
