import type { TableItem } from "../client/resource/table-view.js";
import type { DeepReadonly } from "../meta/object.js";

/** Columns whose cells are durations since a time, although their type is `string`. */
const durations: ReadonlySet<string> = new Set(["age", "last seen", "first seen", "duration"]);

/**
 * Returns the value by which a row is sorted in a column (its name in lower case): a number, or text in which numbers
 * compare by value. Returns `undefined`, which sorts last, without a column or for an empty cell.
 */
export function sortKey(row: DeepReadonly<TableItem>, column: string | undefined): string | number | undefined {
  if (column === undefined) return undefined;
  const at = row.columns.findIndex(({ name }) => name.toLowerCase() === column);
  const cell = row.cells[at];
  const definition = row.columns[at];
  if (definition === undefined || cell === null || cell === undefined || cell === "") return undefined;
  if (column === "age" && row.metadata.creationTimestamp != null) return -Date.parse(row.metadata.creationTimestamp);
  if (typeof cell === "number") return cell;
  const text = String(cell);
  if (definition.type === "date" || durations.has(column)) return seconds(text) ?? naturalKey(text);
  if (definition.type === "integer" || definition.type === "number") {
    const number = Number(text);
    return Number.isNaN(number) ? naturalKey(text) : number;
  }
  return naturalKey(text);
}

/** Returns text that sorts `pod-9` before `pod-10`, ignoring case: each number is preceded by its length. */
export function naturalKey(text: string): string {
  return text.toLowerCase().replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, "");
    return `${String.fromCharCode(48 + value.length)}${value}`;
  });
}

/** Parses the server's durations, such as `5d4h` and `12s`. */
function seconds(text: string): number | undefined {
  const match = /^(?:(\d+)y)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (match === null) return undefined;
  const [, years = 0, days = 0, hours = 0, minutes = 0, rest = 0] = match;
  return (((Number(years) * 365 + Number(days)) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(rest);
}
