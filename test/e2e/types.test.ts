import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { run } from "../../src/cli/commands/types.js";
import type { Client } from "../../src/client/client.js";
import { parseYamlDocuments } from "../../src/internal/yaml/yaml.js";
import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { missing, realClient } from "./cluster.js";

const folder = new URL("../golden/types/", import.meta.url);

describe.skipIf(missing !== undefined)("types from a cluster", () => {
  const documents = parseYamlDocuments(readFileSync(new URL("crds.yaml", folder), "utf8")) as {
    kind: string;
    items?: CustomResourceDefinition[];
  }[];
  const crds = documents.flatMap(
    (each) =>
      each.items ?? (each.kind === "CustomResourceDefinition" ? [each as unknown as CustomResourceDefinition] : []),
  );
  let client: Client;
  const out = mkdtempSync(join(tmpdir(), "kubestream-types-"));

  beforeAll(async () => {
    client = await realClient();
    for (const crd of crds) await client.resource(CustomResourceDefinition).create(crd);
  });

  afterAll(async () => {
    for (const crd of crds) await client.resource(CustomResourceDefinition).delete(crd.metadata?.name ?? "");
    await client.close();
    rmSync(out, { recursive: true });
  });

  it("are the same bytes as types generated from files", async () => {
    const kubeconfig = inject("real").kubeconfig ?? "";
    expect(await run(["--kubeconfig", kubeconfig, "--group", "storage.example.com", "--out", out])).toBe(0);
    for (const version of ["v1", "v1alpha1"]) {
      const path = `storage.example.com/${version}.ts`;
      expect(readFileSync(join(out, path), "utf8")).toBe(readFileSync(new URL(`out/${path}`, folder), "utf8"));
    }
  });

  it("include kinds that only OpenAPI describes", async () => {
    const kubeconfig = inject("real").kubeconfig ?? "";
    expect(await run(["--kubeconfig", kubeconfig, "--api", "apis/apps/v1", "--out", out])).toBe(0);
    expect(readFileSync(join(out, "apps/v1.ts"), "utf8")).toContain(
      'export const Deployment: Kind<Deployment, "Namespaced", { scale: Scale; status: Deployment }, "json" | "merge" | "strategic"> = {',
    );
  });
});
