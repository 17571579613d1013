import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { TestProject } from "vitest/node";
import type { PackedPackage } from "./pack.js";
import { pack } from "./pack.js";

declare module "vitest" {
  export interface ProvidedContext {
    packed: PackedPackage;
  }
}

/** Packs the package once for all tests of this folder. */
export default function setup(project: TestProject): () => void {
  const packed = pack();
  project.provide("packed", packed);
  return () => rmSync(dirname(packed.app), { recursive: true, force: true });
}
