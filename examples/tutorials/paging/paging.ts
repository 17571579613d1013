// Reads a large collection in pages. Each object is handled once, also after a restart or an expired token.
import { readFile, rename, writeFile } from "node:fs/promises";
import type { Collection, KubernetesObject } from "kubestream";

export interface PagingOptions<T> {
  readonly collection: Collection<T>;
  /** File that remembers which objects are done. */
  readonly checkpoint: string;
  readonly handle: (object: T) => Promise<void>;
  readonly pageSize?: number;
}

/** Returns how many objects were handled in this run. */
export async function handleAll<T extends KubernetesObject>(options: PagingOptions<T>): Promise<number> {
  const { collection, checkpoint, handle, pageSize = 500 } = options;
  const done = new Set(await readCheckpoint(checkpoint));
  let handled = 0;
  // A uid names an object for good: one that was deleted and created again under its name is another object.
  const pages = collection.pages({
    limit: pageSize,
    onExpired: "restart",
    onRestart: () => console.log("starting over"),
  });
  for await (const page of pages) {
    for (const object of page.items) {
      const uid = object.metadata?.uid ?? "";
      if (done.has(uid)) continue;
      await handle(object);
      done.add(uid);
      handled++;
    }
    await writeCheckpoint(checkpoint, done);
  }
  return handled;
}

async function readCheckpoint(file: string): Promise<string[]> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as string[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** A crash during the write leaves the old file, because a rename is atomic. */
async function writeCheckpoint(file: string, done: ReadonlySet<string>): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify([...done]));
  await rename(`${file}.new`, file);
}
