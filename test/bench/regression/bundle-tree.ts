// Bundles the JavaScript of a tree, which may be at another commit: `tsx bundle-tree.ts TREE OUTDIR`.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [tree = "", outdir = ""] = process.argv.slice(2);
rmSync(outdir, { recursive: true, force: true });
const build = (await import(pathToFileURL(join(tree, "test/package/build/bundle.ts")).href)) as {
  readonly bundle: (outdir: string) => Promise<void>;
};
await build.bundle(outdir);
