import { readFileSync } from "node:fs";
import type { Output } from "./output.js";
import { quote } from "./text.js";

/** Writes the Go types inside a pod template, from which a kube-controller-manager makes hashes. */
export function generatePodTemplate(output: Output): void {
  const types: unknown = JSON.parse(readFileSync(new URL("../pod-template.json", import.meta.url), "utf8"));
  output.add("src/gen/pod-template.ts", `${TYPES}${quote(JSON.stringify(types))};\n${ACCESSOR}`);
}

const TYPES = `
/** Field of a Go struct. */
export interface PodTemplateField {
  /** Name in Go. */
  readonly name: string;
  /** Name in JSON; empty for an embedded struct. */
  readonly json: string;
  /** Type in Go. */
  readonly type: string;
}

const text: string =
  `;

const ACCESSOR = `
let types: Readonly<Record<string, string | readonly string[]>> | undefined;
const structs = new Map<string, readonly PodTemplateField[]>();

/** Returns the fields of a Go struct inside a pod template, or the type behind another name; \`undefined\` for others. */
export function podTemplateType(name: string): readonly PodTemplateField[] | string | undefined {
  types ??= JSON.parse(text) as NonNullable<typeof types>;
  const found = types[name];
  if (found === undefined || typeof found === "string") return found;
  let fields = structs.get(name);
  if (fields === undefined) {
    fields = found.map((field) => {
      const [goName = "", json = "", type = ""] = field.split(" ");
      return { name: goName, json, type };
    });
    structs.set(name, fields);
  }
  return fields;
}
`;
