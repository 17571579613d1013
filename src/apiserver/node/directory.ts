import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { pushAll } from "../../internal/push-all.js";
import type { ApiServer } from "../server.js";
import type { DumpOptions } from "../state/dump.js";
import { readManifests } from "../state/load.js";

const manifests = new Set([".yaml", ".yml", ".json"]);

/**
 * Loads every `.yaml`, `.yml` and `.json` file below a directory, recursively and sorted by path. Returns the number of
 * objects. Rejects with an error that names the file or the object.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 * import { dumpDirectory, loadDirectory } from "kubestream/apiserver/node";
 *
 * const server = createApiServer();
 * const count = await loadDirectory(server, "./fixtures");
 * await dumpDirectory(server, "./state", { kinds: ["ConfigMap"] });
 * console.log(count);
 * await server.close();
 * ```
 */
export async function loadDirectory(server: Pick<ApiServer, "load">, directory: string): Promise<number> {
  const texts: object[] = [];
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && manifests.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) {
    try {
      pushAll(texts, readManifests(await readFile(file, "utf8")));
    } catch (error) {
      throw new TypeError(`load ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  return server.load(texts);
}

/**
 * Writes each object to its own file below a directory: `Pod/default/web.json`, or `Node/_cluster/n1.json` for a
 * cluster-scoped object. Creates missing directories. Returns the number of objects.
 */
export async function dumpDirectory(
  server: Pick<ApiServer, "dump">,
  directory: string,
  options: DumpOptions = {},
): Promise<number> {
  const objects = server.dump(options);
  for (const object of objects) {
    const { name = "", namespace } = (object.metadata ?? {}) as { name?: string; namespace?: string };
    const folder = join(directory, encodeURIComponent(object.kind ?? ""), encodeURIComponent(namespace ?? "_cluster"));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${encodeURIComponent(name)}.json`), `${JSON.stringify(object, null, 2)}\n`);
  }
  return objects.length;
}
