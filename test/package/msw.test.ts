// Runs client and server of the installed package in one process, with msw 2 and msw 3 between them.
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, inject, it } from "vitest";
import { manifest, root, run } from "./pack.js";

const { app, folder } = inject("packed");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const recent = major > 22 || (major === 22 && minor >= 12);

/** Creates a project whose `msw` is the version installed under `name`. */
async function projectWith(name: string): Promise<string> {
  const project = mkdtempSync(join(dirname(app), `${name}-`));
  const modules = join(project, "node_modules");
  mkdirSync(modules);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  cpSync(folder, join(modules, "kubestream"), { recursive: true });
  for (const dependency of [...Object.keys(manifest().dependencies), "rxjs"])
    symlinkSync(join(root, "node_modules", dependency), join(modules, dependency));
  symlinkSync(join(root, "node_modules", name), join(modules, "msw"));
  const { code } = await transform(await readFile(join(root, "test/browser/exercise.ts"), "utf8"), {
    loader: "ts",
    format: "esm",
  });
  writeFileSync(join(project, "exercise.js"), code);
  writeFileSync(
    join(project, "main.js"),
    `
    import { setupServer } from "msw/node";
    import { createRequire } from "node:module";
    import { fetchTransport } from "kubestream";
    import { createApiServer } from "kubestream/apiserver";
    import { createMswHandlers } from "kubestream/apiserver/msw";
    import { exercise } from "./exercise.js";
    const url = "https://cluster.test";
    const server = createApiServer();
    const worker = setupServer(...createMswHandlers(server, { url }));
    await worker.listen({ onUnhandledRequest: "error" });
    const done = await exercise(server, () => fetchTransport({ url }));
    await worker.close();
    await server.close();
    console.log(JSON.stringify({ version: createRequire(import.meta.url)("msw/package.json").version, done }));`,
  );
  return project;
}

const rows: readonly (readonly [name: string, version: RegExp, missing: string | undefined])[] = [
  ["msw", /^2[.]/, undefined],
  ["msw3", /^3[.]/, recent ? undefined : `msw 3 requires Node 22.12, running ${process.versions.node}`],
];

for (const [name, version, missing] of rows) {
  if (missing !== undefined) console.log(`skipped: ${missing}`);
  describe.skipIf(missing !== undefined)(
    `behind ${name}${missing === undefined ? "" : ` (skipped: ${missing})`}`,
    () => {
      it("the client reads, writes, applies and watches in every encoding", async () => {
        const printed = JSON.parse(
          run(process.execPath, ["main.js"], await projectWith(name))
            .trim()
            .split("\n")
            .at(-1)!,
        ) as { version: string; done: string[] };
        expect(printed.version).toMatch(version);
        expect(printed.done).toEqual([
          "JSON",
          "Protobuf",
          "CBOR",
          "custom resources",
          "watches end where their reader leaves",
        ]);
      });
    },
  );
}
