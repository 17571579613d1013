// A small apply tool: applies the manifests of a folder, prunes what left it, and explains conflicts.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "kubestream";
import { applySet, type Manifest, type ManifestOutcome, ManifestsError, parseManifests } from "kubestream/manifests";
import { applyConflicts } from "kubestream/objects";

export interface ApplyOptions {
  readonly client: Client;
  readonly folder: string;
  /** Name of the set. Objects that an earlier run of the set applied and this one doesn't are deleted. */
  readonly set: string;
  readonly namespace: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

/** Applies the folder. Returns the outcome of each object, also if some fail. */
export async function applyFolder(options: ApplyOptions): Promise<readonly ManifestOutcome[]> {
  const { client, folder, set, namespace, dryRun = false, force = false } = options;
  const files = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  const manifests: Manifest[] = [];
  for (const name of files)
    manifests.push(...(await parseManifests(await readFile(join(folder, name), "utf8"), { source: name })));
  try {
    return await applySet(client, manifests, {
      parent: { name: set, namespace },
      namespace,
      fieldManager: "apply-tool",
      force,
      ...(dryRun && { dryRun: "All" }),
    });
  } catch (error) {
    // Every object was tried. The error carries the outcome of each.
    if (error instanceof ManifestsError) return error.outcomes;
    throw error;
  }
}

/** Describes an outcome: the object and what happened to it, then the reasons of a failure. */
export function describeOutcome({ kind, name, outcome, error }: ManifestOutcome, dryRun = false): string {
  const conflicts = applyConflicts(error).map(({ field, manager }) => `${field} belongs to ${manager}`);
  const reasons = error === undefined || conflicts.length > 0 ? conflicts : [String(error)];
  return [`${kind}/${name} ${outcome}${dryRun ? " (dry run)" : ""}`, ...reasons].join("\n  ");
}
