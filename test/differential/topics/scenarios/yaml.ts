import type { Step, Topic } from "../../probe.js";
import { configMaps, one } from "./steps.js";

const flow = "{apiVersion: v1, kind: ConfigMap, metadata: {name: yy}}";
const block = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yy}\ndata: {a: b}\n";

const bodies: readonly string[] = [
  flow, `${flow} garbage`, `${flow}\ngarbage`, `${flow}\nkey: value`, `${flow}}`, `${flow}]`, `${flow}, {a: b}`, `${flow} {a: b}`, `${flow}\n{a: b}`, `${flow} # comment`, `${flow}\n---\n${flow}`, `${flow}\n...\ngarbage: [`, `${flow} "x"`, `${flow}: x`, `${flow} - a`, `${flow}\n- a`, `${flow} &a`, `${flow} *a`, `${flow} !t`, `${flow} |\n x`, `${flow} \u0001`, `${flow} @`, `${flow} %x`, `${flow}\n%YAML 1.2`, `${flow}\n\tx`, `${flow} "open`, `${flow} [open`,
  `--- ${flow} garbage`, `---\n${flow}\n--- garbage`, `%YAML 1.1\n---\n${flow}\nx`, `# c\n${flow}\nx: y`, `"a"`, `"a" b`, `[a] b`, `[a]\nb: c`, "'a': b\nc", "a b\nc: d", "- a\nb: c", "a: b\n- c", "a: b\nc",
  block, `${block}---\n${block}`, `${block}---\ngarbage: [`, `${block}...\n${block}`, `---\n---\n${block}`, `---\n${block}---\n`, `\n\n---\n# only\n---\n${block}`, `${block}garbage`, `${block}}`, `${block}- x\n`, `${block}  x: y\n`, `${block}? x\n`, `${block}? {a: b}\n: c\n`, `${block}data: {c: d}\n`, `${block}--- a\n`, `${block}---a\n`, `${block}\n...\n...\n`, "", "---", "...", "# only", "null", "~", "{}", "--- {}\n", "---\n...\n", `${block}... x\n`,
];
const create = (raw: string): Step => ({ method: "POST", path: `${configMaps}?dryRun=All`, headers: { "content-type": "application/yaml" }, raw });
const apply = (raw: string): Step => ({ method: "PATCH", path: `${configMaps}/yy?dryRun=All&fieldManager=m`, headers: { "content-type": "application/apply-patch+yaml" }, raw });
const replace = (raw: string): Step => ({ method: "DELETE", path: `${configMaps}/none`, headers: { "content-type": "application/yaml" }, raw });

/** Bodies in YAML with something behind the first document, or behind its value. */
export const yamlScenarios: Topic = {
  name: "yaml",
  probes: bodies.flatMap((raw) => [one(`create/${JSON.stringify(raw)}`, create(raw)), one(`apply/${JSON.stringify(raw)}`, apply(raw)), one(`delete/${JSON.stringify(raw)}`, replace(raw))]),
};
