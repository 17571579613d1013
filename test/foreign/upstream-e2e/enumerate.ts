import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Specs that aren't in a list, with the reason. */
interface Exclusion {
  readonly reason: string;
  /** Regular expressions. The first exclusion with a match counts. */
  readonly specs: readonly string[];
}

/** Options for `enumerateSpecs`. */
interface EnumerateOptions {
  /** Path of the program with the specs. */
  readonly program: string;
  /** Folder for its report. */
  readonly folder: string;
  /** Specs that a list contains. */
  readonly listed: ReadonlySet<string>;
  readonly exclusions: readonly Exclusion[];
}

/**
 * Prints how many specs of the program are in a list, and how many aren't for which reason. Returns true if each spec is
 * in a list or excluded, and all of the lists exist.
 */
export function enumerateSpecs({ program, folder, listed, exclusions }: EnumerateOptions): boolean {
  const names = namesOf(program, folder);
  const counts = new Map<string, number>();
  const problems: string[] = [...listed].filter((name) => !names.has(name)).map((name) => `doesn't exist: ${name}`);
  const patterns = exclusions.map(({ reason, specs }) => ({ reason, pattern: new RegExp(specs.join("|")) }));
  for (const name of names) {
    const reason = listed.has(name) ? "listed" : patterns.find(({ pattern }) => pattern.test(name))?.reason;
    if (reason === undefined) problems.push(`neither listed nor excluded: ${name}`);
    else counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  for (const [reason, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(`${String(count)}\t${reason}`);
  for (const problem of problems) console.log(problem);
  return problems.length === 0;
}

/** Returns the names of all specs of a program. */
function namesOf(program: string, folder: string): Set<string> {
  const report = join(folder, "all.json");
  const flags = ["--kubeconfig=/dev/null", "--provider=skeleton", "--ginkgo.dry-run", `--ginkgo.json-report=${report}`];
  const { status, stderr } = spawnSync(program, flags, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} can't list its specs: ${stderr}`);
  const [suite] = JSON.parse(readFileSync(report, "utf8")) as {
    SpecReports: { LeafNodeType: string; ContainerHierarchyTexts: string[] | null; LeafNodeText: string }[];
  }[];
  return new Set(
    suite!.SpecReports.filter(({ LeafNodeType }) => LeafNodeType === "It").map(
      ({ ContainerHierarchyTexts, LeafNodeText }) => [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" "),
    ),
  );
}
