import { pushAll } from "../../internal/push-all.js";
import { type Field, fieldKind } from "./table.js";
import { fail, position, readInt64 } from "./wire.js";

/** Decodes a packed list of numbers and returns the offset after it. */
export function decodePacked(
  bytes: Uint8Array,
  start: number,
  end: number,
  field: Field,
  object: Record<string, unknown>,
): number {
  const list: unknown[] = [];
  let p = start;
  while (p < end) {
    if (field.wire === 1) {
      if (end - p < 8) fail(`truncated ${field.key}`, p);
      list.push(readDouble(bytes, p));
      p += 8;
    } else {
      const value = readInt64(bytes, p, end);
      list.push(field.kind === fieldKind.bool ? value !== 0 : value);
      p = position;
    }
  }
  appendTo(object, field.key, list);
  return end;
}

/** Appends values to a list, which may not exist yet. */
export function appendTo(object: Record<string, unknown>, key: string, values: unknown[]): void {
  const before = object[key] as unknown[] | undefined;
  if (before === undefined) object[key] = values;
  else pushAll(before, values);
}

const scratch = new DataView(new ArrayBuffer(8));

/** Reads a floating-point number. */
export function readDouble(bytes: Uint8Array, p: number): number {
  for (let i = 0; i < 8; i++) scratch.setUint8(i, bytes[p + i]!);
  const value = scratch.getFloat64(0, true);
  if (!Number.isFinite(value)) fail("number that JSON cannot carry", p);
  return value;
}
