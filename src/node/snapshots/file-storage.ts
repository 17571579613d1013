import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { KubestreamError } from "../../errors/kubestream-error.js";
import type { SnapshotStorage } from "../../meta/snapshot-storage.js";

/** Names of unfinished files. The folder may hold other files, too. */
const unfinished = /^[0-9a-f]{64}\.snapshot\.[0-9a-f-]{36}\.tmp$/;
/** Age after which an unfinished file of a process that was killed is removed (ms). */
const abandonedMs = 600_000;

/**
 * Creates a storage for the snapshots of informers in a folder, which it creates with access for the user only. A
 * snapshot is written to a new file, flushed to the disk and renamed, so that a crash leaves the previous one.
 *
 * @example
 * ```ts
 * import { createInformer, createPersistence, getClusterIdentity } from "kubestream/cache";
 * import { Pod } from "kubestream/kinds/core/v1";
 * import { connect, createFileStorage } from "kubestream/node";
 *
 * const client = await connect();
 * const storage = createFileStorage("/var/cache/my-program");
 * const identity = (): Promise<string> => getClusterIdentity(client);
 * const persistence = createPersistence({ storage, identity, onError: console.error });
 * await using informer = createInformer(client.resource(Pod), { persistence });
 * await informer.synced();
 * ```
 */
export function createFileStorage(folder: string): SnapshotStorage {
  const pathOf = (name: string): string => join(folder, `${createHash("sha256").update(name).digest("hex")}.snapshot`);
  return {
    async read(name) {
      try {
        return await readRegularFile(pathOf(name));
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async write(name, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await removeAbandoned(folder);
      const path = pathOf(name);
      const temporary = `${path}.${randomUUID()}.tmp`;
      try {
        const file = await open(temporary, "wx", 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    remove: (name) => rm(pathOf(name), { force: true }),
  };
}

/** Reads a file. Rejects for anything but a regular one: reading a pipe can wait forever. */
async function readRegularFile(path: string): Promise<Uint8Array> {
  // Without O_NONBLOCK, opening a pipe waits for its writer. Windows doesn't define the flag.
  const file = await open(path, constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new KubestreamError(`${path} is not a regular file`);
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => unfinished.test(name));
  for (const name of names) {
    const path = join(folder, name);
    try {
      if (Date.now() - (await stat(path)).mtimeMs > abandonedMs) await rm(path, { force: true });
    } catch (error) {
      // Another process finished or removed it.
      if (!isMissing(error)) throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
