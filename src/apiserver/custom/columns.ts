import type { TableColumnDefinition } from "../../meta/table.js";
import { goJsonText } from "../internal/go-text.js";
import { sortKeys } from "../internal/json-value.js";
import type { DefinitionColumn } from "../kinds/apiextensions/definition.js";
import { formatDuration } from "../kinds/shared/print-age.js";
import type { Printer } from "../kinds/shared/strategy.js";
import { type JsonPath, parseJsonPath } from "../schema/json-path.js";

const nameColumn: TableColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  priority: 0,
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
};

const ageColumn: DefinitionColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description:
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
};

/** Creates the printer of a custom resource from its columns. */
export function customPrinter(columns: readonly DefinitionColumn[] | undefined): Printer {
  const all = columns === undefined || columns.length === 0 ? [ageColumn] : columns;
  const readers = all.map((column) => ({ type: column.type, find: pathOf(column.jsonPath) }));
  return {
    columns: [
      nameColumn,
      ...all.map((column) => ({
        name: column.name,
        type: column.type,
        format: column.format ?? "",
        priority: column.priority ?? 0,
        description: column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
      })),
    ],
    cells: (object, nowMs) => [
      object.metadata?.name ?? "",
      ...readers.map(({ type, find }) => cell(type, find(object)[0], nowMs)),
    ],
  };
}

/** Parses a path. An invalid one finds nothing, because definitions with invalid paths are accepted. */
function pathOf(text: string): JsonPath {
  try {
    return parseJsonPath(text);
  } catch (error) {
    if (error instanceof SyntaxError) return () => [];
    throw error;
  }
}

function cell(type: string, value: unknown, nowMs: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? wholeNumber(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "string":
      return typeof value === "string"
        ? value
        : typeof value === "object"
          ? goJsonText(sortKeys(value))
          : typeof value === "number" && !Number.isInteger(value)
            ? floatText(value)
            : String(value);
    case "date":
      return typeof value === "string" ? age(value, nowMs) : null;
    default:
      return null;
  }
}

/** Formats a float for a string column: with an exponent from a million on, and below a ten-thousandth. */
function floatText(value: number): string {
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  return power >= -4 && power < 6
    ? String(value)
    : `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function isTime(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return day !== undefined && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** Truncates a number to an integer. A value outside of 64 bits becomes the smallest 64-bit integer, as in Go. */
function wholeNumber(value: number): number {
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2 ** 63);
}

function age(text: string, nowMs: number): string {
  if (text === "" || text === "null") return "<unknown>";
  const time = isTime(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? "<invalid>" : formatDuration(nowMs - time);
}
