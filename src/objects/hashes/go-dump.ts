// Text of a pod template that a kube-controller-manager hashes: its Go value with all types and zero values.
import { podTemplateType } from "../../gen/pod-template.js";
import { dumpQuantity } from "./dump-quantity.js";

type Members = Readonly<Record<string, unknown>>;

/** Content of types with rules of their own, without their name. */
const leaves: Readonly<Record<string, (value: unknown) => string>> = {
  string: (value) => String(value ?? ""),
  bool: (value) => String(value === true),
  int: dumpInteger,
  int32: dumpInteger,
  int64: dumpInteger,
  "resource.Quantity": (value) => dumpQuantity(String(value ?? "0")),
  "intstr.IntOrString": (value) => {
    const isText = typeof value === "string";
    const [number, text] = isText ? ["0", value] : [dumpInteger(value), ""];
    return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${number} StrVal:(string)${text}}`;
  },
  // Templates have no times and no managed fields of their own. Go's form of a time depends on the machine's time zone.
  "v1.Time": () => "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}",
  "v1.FieldsV1": () => "{Raw:([]uint8)<nil>}",
};

function dumpInteger(value: unknown): string {
  return String(value ?? 0);
}

/** Returns the text of a value of a Go type, with the type before it. */
export function dumpTyped(value: unknown, type: string): string {
  return `(${type})${dump(value, type)}`;
}

/** Returns the text of a value of a Go type. */
function dump(value: unknown, type: string): string {
  const leaf = leaves[type];
  if (leaf !== undefined) return leaf(value);
  if (type.startsWith("*")) return value === undefined || value === null ? "<nil>" : dump(value, type.slice(1));
  if (type.startsWith("[]")) return dumpList((value ?? []) as readonly unknown[], type.slice(2));
  if (type.startsWith("map[")) return dumpMap((value ?? {}) as Members, type.slice(type.indexOf("]") + 1));
  const known = podTemplateType(type);
  if (known === undefined) throw new TypeError(`no Go type ${type} is known`);
  if (typeof known === "string") return dump(value, known);
  const members = (value ?? {}) as Members;
  const fields = known.map(
    ({ name, json, type: of }) => `${name}:${dumpTyped(json === "" ? value : members[json], of)}`,
  );
  return `{${fields.join(" ")}}`;
}

// Controllers read objects as Protobuf, in which empty lists and maps are missing.
function dumpList(list: readonly unknown[], type: string): string {
  return list.length === 0 ? "<nil>" : `[${list.map((element) => dump(element, type)).join(" ")}]`;
}

function dumpMap(map: Members, type: string): string {
  const keys = Object.keys(map).sort();
  return keys.length === 0 ? "<nil>" : `map[${keys.map((key) => `${key}:${dump(map[key], type)}`).join(" ")}]`;
}
