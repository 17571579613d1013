import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Folder of the running test. */
export interface TestFolder {
  /** Path of the folder. */
  readonly path: string;
  /** Writes a file, creates the folders above it, and returns its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

/** Gives each test of the file an empty folder, and removes it after the test. */
export function useFolder(): TestFolder {
  let path = "";
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  });
  afterEach(() => rm(path, { recursive: true }));
  return {
    get path() {
      return path;
    },
    async write(name, content) {
      const file = join(path, name);
      await mkdir(join(file, ".."), { recursive: true });
      await writeFile(file, content);
      return file;
    },
  };
}
