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

/** Applies the folder and returns one line per object. */
export async function applyFolder({ client, folder, set, namespace, dryRun, force }: ApplyOptions): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name)).sort();
  const manifests: Manifest[] = [];
  for (const name of files)
    manifests.push(...(await parseManifests(await readFile(join(folder, name), "utf8"), { source: name })));
  try {
    const outcomes = await applySet(client, manifests, {
      parent: { name: set, namespace },
      namespace,
      fieldManager: "apply-tool",
      ...(dryRun === true ? { dryRun: "All" as const } : {}),
      ...(force === true ? { force: true } : {}),
    });
    return outcomes.flatMap((outcome) => describe(outcome, dryRun));
  } catch (error) {
    // Every object was tried. The error carries the outcome of each.
    if (error instanceof ManifestsError) return error.outcomes.flatMap((outcome) => describe(outcome, dryRun));
    throw error;
  }
}

function describe({ kind, name, outcome, error }: ManifestOutcome, dryRun = false): string[] {
  const conflicts = error === undefined ? [] : applyConflicts(error);
  const owners = conflicts.map(({ field, manager }) => `  ${field} belongs to ${manager}`);
  return [`${kind}/${name} ${conflicts.length > 0 ? "conflict" : outcome}${dryRun ? " (dry run)" : ""}`, ...owners];
}
