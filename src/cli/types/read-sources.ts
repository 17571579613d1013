import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../errors/errors.js";
import { parseYamlDocuments } from "../../internal/yaml/yaml.js";
import { isCrd, kindsOfCrd } from "./from-crd.js";
import type { KindModel } from "./kind-model.js";

/**
 * Reads the kinds from files and folders of manifests and ignores other objects. Throws a `ConfigError` that names the
 * file.
 */
export function readKinds(paths: readonly string[]): KindModel[] {
  return paths
    .flatMap((path) => filesIn(path))
    .flatMap((file) => kindsInText(file === "-" ? readFileSync(0, "utf8") : readFileSync(file, "utf8"), file));
}

/** Returns the kinds in the text of a YAML or JSON file. */
export function kindsInText(text: string, source: string): KindModel[] {
  let documents: unknown[];
  try {
    documents = parseYamlDocuments(text);
  } catch (error) {
    throw new ConfigError(`${source}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const objects = documents.flatMap((document) => {
    const { items } = (document ?? {}) as { items?: unknown };
    return Array.isArray(items) ? (items as unknown[]) : [document];
  });
  try {
    return objects.filter(isCrd).flatMap((crd) => kindsOfCrd(crd, source));
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError(error.message);
    throw error;
  }
}

function filesIn(path: string): string[] {
  if (path === "-") return [path];
  let folder: boolean;
  try {
    folder = statSync(path).isDirectory();
  } catch {
    throw new ConfigError(`${path}: no such file or folder`);
  }
  if (!folder) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => {
      const inner = join(path, name);
      return statSync(inner).isDirectory() ? filesIn(inner) : /\.(ya?ml|json)$/.test(name) ? [inner] : [];
    });
}
