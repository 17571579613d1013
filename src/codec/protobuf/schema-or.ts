import { type Field, fieldKind } from "./table.js";
import { eachField } from "./values.js";
import { fail, readInt64 } from "./wire.js";

/**
 * Decodes `JSONSchemaPropsOrArray`, `OrBool` and `OrStringArray`: one of two things in JSON, a message with both in
 * Protobuf. `decodeValue` decodes one value of a length-delimited field.
 */
export function decodeSchemaOr(
  bytes: Uint8Array,
  start: number,
  end: number,
  field: Field,
  decodeValue: (bytes: Uint8Array, start: number, end: number, field: Field) => unknown,
): unknown {
  const [first, second] = field.type.list as [Field, Field];
  const schemaField = first.kind === fieldKind.message ? first : second;
  let schema: unknown = null;
  let allows = false;
  const list: unknown[] = [];
  eachField(bytes, start, end, (number, wire, from, to) => {
    const part = number === first.number ? first : number === second.number ? second : undefined;
    if (part === undefined) return;
    if (wire !== part.wire) fail(`wire type ${String(wire)} in ${field.key}`, from);
    if (part.repeated) list.push(decodeValue(bytes, from, to, part));
    else if (part === schemaField) schema = decodeValue(bytes, from, to, schemaField);
    else allows = readInt64(bytes, from, to) !== 0;
  });
  if (field.kind === fieldKind.orBool) return schema ?? allows;
  return list.length > 0 ? list : schema;
}
