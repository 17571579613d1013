import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { ConfigError } from "../../errors/errors.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { KubeconfigContent } from "./kubeconfig.js";
import { mergeKubeconfigs, readKubeconfig } from "./kubeconfig.js";
import { readConfigFile } from "./read-file.js";

/** Where kubeconfig files were looked for and what they hold. */
export interface LoadedKubeconfig {
  /** The merged content. */
  readonly content: KubeconfigContent;
  /** Files that were looked for and are not there. */
  readonly missing: readonly string[];
}

/**
 * Loads kubeconfig files as kubectl does: those given, all of which must be there; else those of `KUBECONFIG`; else
 * `~/.kube/config`. Of the latter two, missing ones are passed over. Throws a `ConfigError` naming file and field.
 */
export async function loadKubeconfigFiles(
  given: string | readonly string[] | undefined,
  env: Environment,
): Promise<LoadedKubeconfig> {
  const explicit = given === undefined ? undefined : typeof given === "string" ? [given] : given;
  const listed =
    explicit ??
    (env["KUBECONFIG"] ? env["KUBECONFIG"].split(delimiter) : [join(env["HOME"] || homedir(), ".kube", "config")]);
  const files = [...new Set(listed.filter((file) => file !== "").map((file) => resolve(file)))];
  const missing: string[] = [];
  const contents: KubeconfigContent[] = [];
  for (const file of files) {
    const bytes = await readIfThere(file);
    if (bytes) contents.push(readKubeconfig(await parseText(decodeText(bytes), file), file));
    else missing.push(file);
  }
  if (explicit && missing.length > 0) throw new ConfigError(`${missing.join(", ")}: no such file`);
  return { content: mergeKubeconfigs(contents), missing };
}

/** Reads a kubeconfig that a caller gave as text. Throws a `ConfigError` naming the field, also where files were given beside it. */
export async function readKubeconfigText(text: string, files: unknown): Promise<KubeconfigContent> {
  if (files !== undefined) throw new ConfigError(`options.${textOption}: cannot stand beside options.kubeconfig`);
  const where = `options.${textOption}`;
  if (typeof text !== "string") throw new ConfigError(`${where}: must be text`);
  return readKubeconfig(await parseText(text, where), where, resolve("."));
}

const textOption = "kubeconfigText";

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readConfigFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`${file}: cannot be read (${code ?? "unknown"})`, { cause: error });
  }
}

async function parseText(text: string, file: string): Promise<unknown> {
  // Most of the time that parsing takes is the loading of the library: only those who have a file pay for it.
  const { parseYaml } = await import("../../internal/yaml.js");
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`${file}: is no YAML: ${error.message}`);
  }
}

/** Text in UTF-8, or in UTF-16 as Windows tools write it, recognised by its byte order mark. */
function decodeText(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
