// Errors of kube-apiserver 1.36 about the costs of validation rules: the probes of the topic `costs`.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { costs } from "../../../differential/topics/costs.js";
import { causeSet } from "../../../support/outcome.js";

const recorded = JSON.parse(readFileSync(new URL("costs.json", import.meta.url), "utf8")) as [
  id: string,
  causes: string[],
][];
const server = createApiServer({ controllers: false });
afterAll(() => server.close());

async function causesOf(definition: unknown): Promise<string[]> {
  const body = JSON.stringify(definition).replaceAll("${ns}", "ns");
  const response = await server.handle(
    new Request("http://server/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }),
  );
  const { details } = (await response.json()) as { details?: { causes: { field: string; message: string }[] } };
  return response.status === 201
    ? []
    : details!.causes
        .map(({ field, message }) => `${field.replace("spec.validation.openAPIV3Schema", "")}: ${message}`)
        .sort();
}

describe("estimated costs of validation rules", () => {
  it.each(recorded)("%s", async (id, causes) => {
    expect(causeSet(await causesOf(costs.probes.find((probe) => probe.id === id)!.steps[0]!.json))).toEqual(
      causeSet(causes),
    );
  });

  it("are computed quickly for a deeply nested expression", async () => {
    const deep = `${"[".repeat(60)}1${"]".repeat(60)}.size() == 1`;
    const definition = structuredClone(costs.probes[0]!.steps[0]!.json) as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Record<string, unknown> } } } }[] };
    };
    definition.spec.versions[0]!.schema.openAPIV3Schema.properties.spec["x-kubernetes-validations"] = [{ rule: deep }];
    expect(await causesOf(definition)).toEqual([]);
  });
});
