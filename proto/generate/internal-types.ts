import { readFileSync } from "node:fs";
import type { Output } from "./output.js";

/** A field of a struct: its name as it is printed, that of the API's field (with `^` one of the struct around it), its kind, its struct. */
type Field = readonly [name: string, from: string, kind: string, of?: string];

/** Writes the structs in which a server holds some kinds of object inside, as its errors show them. */
export function generateInternalTypes(output: Output): void {
  const structs = JSON.parse(readFileSync(new URL("../internal-types.json", import.meta.url), "utf8")) as Record<
    string,
    readonly Field[]
  >;
  const names = Object.keys(structs);
  const pack = ([name, from, kind, of]: Field): string =>
    `${name}=${from}:${of === undefined ? kind : kind.replace(/[a-z]+$/, String(names.indexOf(of)))}`;
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, structs[name]!.map(pack).join(",")])));
  output.add(
    "src/gen/internal-types.ts",
    `
/** One field of a struct inside a server. */
export interface InternalField {
  /** Name under which it is printed; \`""\` where all of the value is printed among the fields around it. */
  readonly name: string;
  /** Name of the API's field. */
  readonly from: string;
  /** Whether the API has the field in the object around this one. */
  readonly outside: boolean;
  /** \`*\` for a pointer, then \`[\` for a list or \`{\` for a map. */
  readonly shape: string;
  /** What it is, or its elements are: \`string\`, \`bool\`, \`number\`, \`quantity\`, \`time\`, \`struct\`, \`flat\`, or \`same\` for what looks as in the API. */
  readonly kind: string;
  /** Struct that it is. */
  readonly struct?: string;
}

const text: string =
  '${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}';

let packed: Readonly<Record<string, string>> | undefined;
let names: readonly string[] = [];
const parsed = new Map<string, readonly InternalField[]>();

/** The fields of a struct in their order. Throws where it is not known. */
export function internalStruct(struct: string): readonly InternalField[] {
  const known = parsed.get(struct);
  if (known !== undefined) return known;
  if (packed === undefined) {
    packed = JSON.parse(text) as Record<string, string>;
    names = Object.keys(packed);
  }
  const fields = packed[struct]!.split(",").map((part): InternalField => {
    const [, name = "", outside, from = "", shape = "", kind = ""] = /^(\\w*)=(\\^?)(\\w*):([*[{]*)(\\w+)$/.exec(part)!;
    const own = /^\\d+$/.test(kind) ? names[Number(kind)]! : undefined;
    return { name, from, outside: outside === "^", shape, kind: own === undefined ? kind : "struct", ...(own === undefined ? {} : { struct: own }) };
  });
  parsed.set(struct, fields);
  return fields;
}
`,
  );
}
