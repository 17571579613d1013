import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { ConfigError } from "../../errors/errors.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { KubeconfigContent } from "./kubeconfig.js";
import { mergeKubeconfigs, readKubeconfig } from "./kubeconfig.js";
import { readConfigFile, readFailure } from "./read-file.js";

/** Result of loading kubeconfig files. */
export interface LoadedKubeconfig {
  /** The merged content. */
  readonly content: KubeconfigContent;
  /** Files that don't exist. */
  readonly missing: readonly string[];
}

/**
 * Loads kubeconfig files the way kubectl does: the given ones, which must all exist, else those in `KUBECONFIG`, else
 * `~/.kube/config`. Missing files of the latter two are skipped. Throws a `ConfigError` that names the file and the
 * field.
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

/**
 * Reads a kubeconfig that was passed as text. Throws a `ConfigError` that names the field, or if `files` is set too.
 */
export async function readKubeconfigText(text: string, files: unknown): Promise<KubeconfigContent> {
  if (files !== undefined) throw new ConfigError(`options.${textOption}: cannot be combined with options.kubeconfig`);
  const where = `options.${textOption}`;
  if (typeof text !== "string") throw new ConfigError(`${where}: must be a string`);
  return readKubeconfig(await parseText(text, where), where, resolve("."));
}

const textOption = "kubeconfigText";

async function readIfThere(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readConfigFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`${file}: ${readFailure(error)}`, { cause: error });
  }
}

async function parseText(text: string, file: string): Promise<unknown> {
  // Loading the YAML parser costs more than parsing, so only load it if there is a file.
  const { parseYaml } = await import("../../internal/yaml/yaml.js");
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`${file}: is not valid YAML: ${error.message}`);
  }
}

/** Decodes UTF-8, or UTF-16 with a byte order mark as Windows tools write it. */
function decodeText(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
