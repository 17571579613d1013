import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
}

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

async function read<T>(path: string): Promise<T> {
  return (await (await server.handle(new Request(`http://server${path}`))).json()) as T;
}

const schemasOf = async (path: string): Promise<Record<string, Schema>> =>
  (await read<{ components: { schemas: Record<string, Schema> } }>(`/openapi/v3/${path}`)).components.schemas;

describe("OpenAPI documents", () => {
  it("describe every type and field of the built-in groups", async () => {
    const { paths } = await read<{ paths: Record<string, object> }>("/openapi/v3");
    const missing = new Set<string>();
    for (const path of Object.keys(paths)) {
      for (const [name, { description, properties = {} }] of Object.entries(await schemasOf(path))) {
        if (description === undefined) missing.add(name);
        for (const [field, one] of Object.entries(properties))
          if (one.description === undefined) missing.add(`${name}.${field}`);
      }
    }
    expect(Object.keys(paths).length).toBeGreaterThan(30);
    expect([...missing]).toEqual([]);
  });

  it("describe a field next to its reference to another type", async () => {
    const { properties } = (await schemasOf("apis/apps/v1"))["io.k8s.api.apps.v1.Deployment"]!;
    expect(properties!["spec"]).toEqual({
      description: "Desired state.",
      default: {},
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" }],
    });
  });

  it("have the same descriptions in version 2", async () => {
    const name = "io.k8s.api.apps.v1.DeploymentSpec";
    const { definitions } = await read<{ definitions: Record<string, Schema> }>("/openapi/v2");
    const { properties } = (await schemasOf("apis/apps/v1"))[name]!;
    expect(properties!["replicas"]!.description).toMatch(/^Desired number of pods\. Default 1\.$/);
    expect(definitions[name]!.properties!["replicas"]!.description).toBe(properties!["replicas"]!.description);
    expect(definitions["io.k8s.api.apps.v1.DeploymentList"]!.description).toBe("List of Deployment objects.");
  });
});
