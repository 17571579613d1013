import { describe, expect, it } from "vitest";
import { definition, definitions, openWidgets, widget, widgets } from "./widgets.js";

const { call, define, handle, settled } = openWidgets();

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
    await settled();
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
    const response = await handle(
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
    await settled();
    expect((await call("GET", `${widgets}/free`)).status).toBe(404);
    expect((await call("POST", widgets, widget({}, "late"))).status).toBe(403);
    await call("PATCH", `${widgets}/held`, { metadata: { finalizers: null } }, "application/merge-patch+json");
    await settled();
    expect((await call("GET", `${definitions}/widgets.cf.dev`)).status).toBe(404);
    expect(await call("GET", widgets)).toMatchObject({ status: 404, body: "404 page not found\n" });
  });
});
