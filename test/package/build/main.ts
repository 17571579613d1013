// Builds the package: `tsx test/package/build/main.ts [FOLDER]`, `dist` by default.
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { bundle } from "./bundle.js";
import { writeDeclarations } from "./declarations.js";
import { root } from "./entries.js";

const outdir = resolve(root, process.argv[2] ?? "dist");
rmSync(outdir, { recursive: true, force: true });
await bundle(outdir);
await writeDeclarations(outdir);
