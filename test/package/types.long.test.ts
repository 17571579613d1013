import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { importPaths, root, run } from "./pack.js";

const { app, folder } = inject("packed");
const paths = importPaths().map((entry) => entry.path);
/** Paths whose types are checked. One kinds module stands for all. */
const typed = paths.filter((path) => !path.includes("/kinds/") || path.endsWith("/core/v1"));

it.each([
  ["Node", { module: "nodenext", lib: ["es2022"], types: ["node"] }, typed.filter((path) => !path.endsWith("/msw"))],
  [
    "a browser",
    { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"], types: [] },
    typed.filter((path) => !/\/(?:node|msw)$/.test(path)),
  ],
])("types compile without skipLibCheck in a program for %s", (_where, options, names) => {
  const place = mkdtempSync(join(app, "types-"));
  writeFileSync(
    join(place, "main.ts"),
    names.map((name, index) => `export * as m${String(index)} from ${JSON.stringify(name)};`).join("\n"),
  );
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2022",
        strict: true,
        skipLibCheck: false,
        noEmit: true,
        typeRoots: [join(root, "node_modules/@types")],
        ...options,
      },
      include: ["main.ts"],
    }),
  );
  expect(run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", place], app).trim()).toBe("");
});

it("every subpath has one declaration file, and types are shared between them", () => {
  const declarations = (readdirSync(join(folder, "dist"), { recursive: true }) as string[])
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".d.ts") && !name.startsWith("types/"));
  const expected = [...paths].map((path) => {
    const name = path.replace(/^kubestream\/?/, "");
    return name.startsWith("kinds/") ? `${name}.d.ts` : join(name, "index.d.ts").replaceAll("\\", "/");
  });
  expect(declarations.sort()).toEqual(expected.sort());
  const place = mkdtempSync(join(app, "identity-"));
  writeFileSync(
    join(place, "main.ts"),
    `import { type Client, type ListerWatcher, KubestreamError, createClient, fetchTransport } from "kubestream";
     import { createInformer } from "kubestream/cache";
     import { Pod } from "kubestream/kinds/core/v1";
     import type { connect } from "kubestream/node";
     import { DrainError } from "kubestream/operations";
     type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
     export const same: Same<Parameters<typeof createInformer<Pod>>[0], ListerWatcher<Pod>> = true;
     export const client: Client = undefined as unknown as Awaited<ReturnType<typeof connect>>;
     export const error: KubestreamError = new DrainError("node", []);
     createInformer(createClient({ transport: fetchTransport({ url: "https://example.test" }) }).resource(Pod));`,
  );
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: { target: "es2022", module: "nodenext", strict: true, noEmit: true, types: [] },
      include: ["main.ts"],
    }),
  );
  expect(run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", place], app).trim()).toBe("");
});
