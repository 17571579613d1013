import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "../../../../src/cli/commands/types.js";
import { kindsOfOpenApi } from "../../../../src/cli/types/from-open-api.js";
import { writeModule } from "../../../../src/cli/types/module-writer.js";
import { kindsInText, readKinds } from "../../../../src/cli/types/read-sources.js";
import { ConfigError } from "../../../../src/errors/errors.js";

const folder = new URL("../../../golden/types/", import.meta.url);
const golden = (name: string): string => readFileSync(new URL(`out/storage.example.com/${name}.ts`, folder), "utf8");
const crd = (spec: object): string =>
  JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec });
const good = { group: "example.com", scope: "Cluster", names: { kind: "A", plural: "as" }, versions: [{ name: "v1" }] };

describe("kubestream types with manifests", () => {
  const kinds = readKinds([fileURLToPath(new URL("crds.yaml", folder))]);

  it.each(["v1", "v1alpha1"])("generates the module of version %s", (version) => {
    expect(writeModule(kinds.filter((kind) => kind.version === version))).toBe(golden(version));
  });

  it("generates the same bytes for any order of the input", () => {
    expect(writeModule([...kinds].reverse())).toBe(writeModule(kinds));
  });

  it("gives each version of a kind in one module its own name", () => {
    const text = writeModule(kinds);
    expect(text).toContain("export const Backup: Kind<Backup,");
    expect(text).toContain("export const BackupV1alpha1: Kind<BackupV1alpha1,");
  });

  it("skips versions that are not served and objects that are not definitions", () => {
    expect(kinds.map(({ kind, version }) => `${kind} ${version}`)).toEqual(["Backup v1", "Backup v1alpha1", "Kind v1"]);
    expect(kindsInText("kind: Pod\napiVersion: v1", "x")).toEqual([]);
  });

  it.each([
    ["a: [", "crds.yaml: "],
    [crd({ ...good, group: "../x" }), "crds.yaml: spec.group must be a domain name"],
    [crd({ ...good, names: { kind: "A B", plural: "as" } }), "crds.yaml: spec.names.kind must be"],
    [crd({ ...good, names: { kind: "A", plural: "a/b" } }), "crds.yaml: spec.names.plural must be"],
    [crd({ ...good, scope: "World" }), "crds.yaml: spec.scope must be"],
    [crd({ ...good, versions: [] }), "crds.yaml: spec.versions must be"],
    [crd({ ...good, versions: [{ name: "../v1" }] }), "crds.yaml: spec.versions[0].name must be"],
    [
      crd({ ...good, versions: [{ name: "v0", served: false }, { name: "../v1" }] }),
      "crds.yaml: spec.versions[1].name must be",
    ],
    [crd({}), "crds.yaml: spec.group must be"],
  ])("rejects %s", (text, message) => {
    expect(() => kindsInText(text, "crds.yaml")).toThrow(ConfigError);
    expect(() => kindsInText(text, "crds.yaml")).toThrow(message);
  });

  it.each([
    [["--group", "none.example.com"], "--group none.example.com: no kinds found"],
    [["--group", "a", "--group", "b"], "--group a, b: no kinds found"],
  ])("names the groups that have no kinds: %j", async (options, message) => {
    await expect(run([fileURLToPath(new URL("crds.yaml", folder)), ...options])).rejects.toThrow(message);
  });

  it("does not let descriptions and names inject code", () => {
    const evil = {
      type: "object",
      description: "*/ throw 1; /*",
      properties: { 'a": 1; b': { type: "string", enum: ['"; throw 2; "'] } },
    };
    const text = writeModule(
      kindsInText(crd({ ...good, versions: [{ name: "v1", schema: { openAPIV3Schema: evil } }] }), "x"),
    );
    expect(text).toContain("/** *\\/ throw 1; /* */");
    expect(text).toContain(String.raw`"a\": 1; b"?: "\"; throw 2; \"" | undefined;`);
  });
});

it("kubestream types generates a module from an OpenAPI document", () => {
  const gvk = { group: "metrics.example.com", version: "v1", kind: "Usage" };
  const { kinds, definitions } = kindsOfOpenApi({
    paths: {
      "/apis/metrics.example.com/v1/namespaces/{namespace}/usages/{name}": {
        get: { "x-kubernetes-action": "get", "x-kubernetes-group-version-kind": gvk },
      },
      "/apis/metrics.example.com/v1/namespaces/{namespace}/usages/{name}/status": {},
    },
    components: {
      schemas: {
        "com.example.Usage": {
          type: "object",
          "x-kubernetes-group-version-kind": [gvk],
          properties: {
            metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
            taken: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time" },
            parts: {
              type: "array",
              items: { default: {}, allOf: [{ $ref: "#/components/schemas/com.example.Part" }] },
            },
          },
        },
        "com.example.Part": {
          type: "object",
          properties: {
            cpu: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" },
            inner: { $ref: "#/components/schemas/com.example.Part" },
          },
        },
      },
    },
  });
  expect(writeModule(kinds, definitions)).toBe(`// Code generated by "kubestream types". DO NOT EDIT.
import type { Kind, ObjectMeta } from "kubestream";

export interface Usage {
  apiVersion?: "metrics.example.com/v1" | undefined;
  kind?: "Usage" | undefined;
  metadata?: ObjectMeta | undefined;
  parts?: Part[] | undefined;
  taken?: string | null | undefined;
}

/** Usage: \`/apis/metrics.example.com/v1/namespaces/{namespace}/usages\`. */
export const Usage: Kind<Usage, "Namespaced", { status: Usage }, never> = {
  group: "metrics.example.com",
  version: "v1",
  kind: "Usage",
  plural: "usages",
  scope: "Namespaced",
  custom: true,
};

export interface Part {
  cpu?: string | undefined;
  inner?: Part | undefined;
}
`);
});

describe("kubestream types with a hostile OpenAPI document", () => {
  const named = (kind: object, path = "things", schemas: object = {}): Parameters<typeof kindsOfOpenApi>[0] =>
    ({
      paths: {
        [`/apis/example.com/v1/${path}/{name}`]: { get: { "x-kubernetes-group-version-kind": kind } },
      },
      components: { schemas: { T: { "x-kubernetes-group-version-kind": [kind] }, ...schemas } },
    }) as never;
  const thing = { group: "example.com", version: "v1", kind: "Thing" };
  const generate = (document: Parameters<typeof kindsOfOpenApi>[0]): string => {
    const { kinds, definitions } = kindsOfOpenApi(document);
    return writeModule(kinds, definitions);
  };
  const property = (schema: object, more: object = {}): ReturnType<typeof named> =>
    named(thing, "things", {
      T: { "x-kubernetes-group-version-kind": [thing], properties: { a: schema } },
      ...more,
    });
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

  it.each<[string, object, string, string]>([
    ["code in a kind", { ...thing, kind: "A */ throw 1; /*" }, "things", "paths: the kind of"],
    ["a path as a group", { ...thing, group: "../.." }, "things", "paths: the group of"],
    ["a path as a version", { ...thing, version: "../v1" }, "things", "paths: the version of"],
    ["code in a plural", thing, "a`*", "paths: the plural of"],
    ["a kind that isn't a string", { ...thing, kind: {} }, "things", "paths: the kind of"],
  ])("rejects %s", (_what, kind, plural, message) => {
    expect(() => generate(named(kind, plural))).toThrow(new RegExp(`^${message}.* must be`));
  });

  it.each<[string, ReturnType<typeof named>, string]>([
    ["an enum that isn't a list", property({ enum: "a" }), "components.schemas.T.properties.a.enum must be a list"],
    ["a description of another type", property({ description: 1 }), "properties.a.description must be a string"],
    ["null as a schema", property({ items: null } as never), "properties.a.items must be an object"],
    [
      "10,000 nested arrays",
      property(Array.from({ length: 10_000 }).reduce<object>((items) => ({ type: "array", items }), {})),
      "must not be nested deeper than 200 levels",
    ],
    [
      "a chain of 10,000 definitions",
      property(
        ref("d0"),
        Object.fromEntries(
          Array.from({ length: 10_000 }, (_, at) => [
            `d${String(at)}`,
            { properties: { a: ref(`d${String(at + 1)}`) } },
          ]),
        ),
      ),
      "is nested deeper than 200 levels",
    ],
  ])("rejects %s", (_what, document, message) => {
    expect(() => generate(document)).toThrow(TypeError);
    expect(() => generate(document)).toThrow(message);
  });

  it("types definitions that only lead to themselves as unknown", () => {
    const cycles = { A: ref("B"), B: { type: "array", items: ref("A") } };
    expect(generate(property(ref("A"), cycles))).toContain("a?: unknown[] | undefined;");
  });

  it("keeps text from the document within comments and strings", () => {
    const text = generate(
      property({
        type: "array",
        items: { enum: ['"; throw 1; "'] },
        default: "*/ throw 2",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["*/ throw 3; /*"],
      }),
    );
    const code = text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
    expect(code).not.toContain("throw");
  });
});
