import { formatIdentity, type ManifestPlan, type PlannedChange, type PlannedManifest } from "./plan.js";

const signs = { create: "+", change: "~", unchanged: "=", later: ">", prune: "-", refuse: "!" } as const;
const verbs = {
  create: "to create",
  change: "to change",
  unchanged: "unchanged",
  later: "to apply later",
  prune: "to prune",
  refuse: "refused",
} as const;

/**
 * Formats a plan as text: a line for each object with `+` for create, `~` for change, `>` for later, `-` for prune and
 * `!` for refused ones, below it the changed fields with `-` for the old and `+` for the new value, and a summary.
 * Unchanged objects are only counted.
 *
 * @example
 * ```ts
 * import { formatPlan, planManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ fieldManager: "deployer" });
 * const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "web" }, data: { a: "2" } };
 * console.log(formatPlan(await planManifests(client, [map])));
 * // ~ ConfigMap web/settings
 * //   - .data.a: "1"  (owned by kubectl)
 * //   + .data.a: "2"
 * // 1 to change
 * ```
 */
export function formatPlan(plan: ManifestPlan): string {
  const lines = plan.items.filter(({ action }) => action !== "unchanged").flatMap(formatItem);
  const counts = Object.entries(verbs).flatMap(([action, verb]) => {
    const count = plan.items.filter((item) => item.action === action).length;
    return count === 0 ? [] : [`${count} ${verb}`];
  });
  return [...lines.map(printable), counts.join(", ") || "nothing to apply"].join("\n");
}

/** Escapes characters that control a terminal or reorder a line: names, managers and messages come from the server. */
function printable(line: string): string {
  return line.replaceAll(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function formatItem(item: PlannedManifest): string[] {
  const { action, changes, after, refusal } = item;
  let head = `${signs[action]} ${formatIdentity(item)}`;
  if (after !== undefined) head += ` (after ${after.join(", ")})`;
  if (action === "change" && changes.length === 0) head += " (takes ownership of fields)";
  if (refusal !== undefined) head += ` (${refusal.reason}): ${cut(refusal.message.replaceAll(/\s+/g, " "), 500)}`;
  return [head, ...changes.flatMap(formatChange)];
}

function formatChange({ path, owners, conflict, ...change }: PlannedChange): string[] {
  const owned = owners.length === 0 ? "" : `  (${conflict ? "conflict, " : ""}owned by ${owners.join(", ")})`;
  const before = "before" in change;
  return [
    ...(before ? [`  - ${path}: ${formatValue(change.before)}${owned}`] : []),
    ...("after" in change ? [`  + ${path}: ${formatValue(change.after)}${before ? "" : owned}`] : []),
  ];
}

function formatValue(value: unknown): string {
  try {
    return cut(JSON.stringify(value) ?? "", 2_000);
  } catch {
    return "(nested too deeply to show)";
  }
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
