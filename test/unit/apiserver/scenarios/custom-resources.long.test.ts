import { describe, expect, it } from "vitest";
import { definition, definitions, item, items, openScenarios } from "./scenario-server.js";

const { send } = openScenarios();

describe("custom resources", () => {
  it.each([
    [{ host: "a_b" }, 422],
    [{ host: "a.example" }, 201],
    [{ span: "P1D" }, 201],
    [{ span: "x" }, 422],
    [{ text: "A" }, 422],
    [{ pod: { apiVersion: "v1", kind: "Pod" } }, 201],
    [{ pod: { apiVersion: "a/b/c", kind: "Pod" } }, 422],
    [{ pod: { apiVersion: "v1", kind: "a b" } }, 422],
    [{ pod: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "!" } } } }, 422],
    [{ pod: { apiVersion: 1, kind: "Pod" } }, 400],
    [{ pod: { apiVersion: "v1", kind: "Pod", metadata: 1 } }, 400],
  ])("a create with %j is answered with %i", async (spec, status) => {
    expect((await send("POST", `${items}?dryRun=All`, item(spec))).status).toBe(status);
  });

  it("only the first problem of a string is reported", async () => {
    expect((await send("POST", items, item({ text: "A" }))).body.message).toBe(
      'Item.scen.example.com "i" is invalid: spec.text: Invalid value: "A": spec.text in body should be at least 2 chars long',
    );
  });

  it("a write to /scale validates the schema and drops unknown fields of an apply", async () => {
    await send("POST", items, item({ n: 1, map: { b: 1, a: 2 } }));
    expect(
      (
        await send("PUT", `${items}/i/scale`, {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "i" },
          spec: { replicas: 11 },
        })
      ).status,
    ).toBe(422);
    expect(
      (await send("GET", items, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })).body.rows?.[0]
        ?.cells[1],
    ).toBe('{"a":2,"b":1}');
    const { body } = await send(
      "PATCH",
      `${items}/i?fieldManager=a`,
      item({ raw: { x: 1, known: { a: "b", c: "d" } } }),
      { "content-type": "application/apply-patch+yaml" },
    );
    expect(body.spec).toMatchObject({ raw: { x: 1, known: { a: "b" } } });
    expect((body.spec as { raw: { known: object } }).raw.known).not.toHaveProperty("c");
    expect(await send("POST", `${items}/i/status`, item({}))).toMatchObject({
      status: 405,
      body: { message: 'create is not supported on resources of kind "items.scen.example.com"' },
    });
    expect(
      (
        await send("GET", `${items}/i`, undefined, {
          accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
        })
      ).status,
    ).toBe(500);
  });
});

describe("CustomResourceDefinitions", () => {
  const webhook = (
    clientConfig: object,
    conversionReviewVersions: readonly string[] = ["v1"],
  ): Record<string, unknown> => ({
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } },
  });
  const whole = (openAPIV3Schema: object): Record<string, unknown> => ({ schema: { openAPIV3Schema } });
  const property = (value: object): Record<string, unknown> => whole({ type: "object", properties: { a: value } });
  it.each([
    [{}, webhook({ service: { namespace: "n", name: "s" } }), 201, 0],
    [{}, webhook({ service: { namespace: "n", name: "s" } }, ["v1", "v1"]), 422, 0],
    [{}, webhook({ service: { name: "s" } }), 422, 0],
    [{}, webhook({ service: { namespace: "n", name: "s", port: 0 } }), 422, 0],
    [{}, { names: { plural: "others", kind: "Other", shortNames: [""] } }, 422, 0],
    [{ deprecated: true, deprecationWarning: "" }, {}, 422, 0],
    [{ deprecated: true, deprecationWarning: "x".repeat(257) }, {}, 422, 0],
    [property({ type: "string", format: "bogus" }), {}, 201, 1],
    [property({ type: "integer", format: "int32" }), {}, 201, 0],
    [property({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }] }), {}, 422, 0],
    [property({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }), {}, 201, 0],
    [property({ type: "string", enum: [], default: "x" }), {}, 201, 0],
    [property({ type: "object", "x-kubernetes-preserve-unknown-fields": false }), {}, 422, 0],
    [whole({ "x-kubernetes-preserve-unknown-fields": true }), {}, 201, 0],
  ])("case %#: version %j, spec %j", async (version, spec, status, warnings) => {
    expect(await send("POST", `${definitions}?dryRun=All`, definition("other", version, spec))).toMatchObject({
      status,
      warnings,
    });
  });
});
