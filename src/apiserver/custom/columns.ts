import type { TableColumnDefinition } from "../../meta/table.js";
import { goFloatText, goJsonText } from "../internal/go-text.js";
import { sortKeys } from "../internal/json-value.js";
import type { DefinitionColumn } from "../kinds/apiextensions/definition.js";
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

/** How a custom resource is printed as a Table. */
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

/** A path that cannot be read finds nothing: definitions with one are accepted. */
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
            ? goFloatText(value)
            : String(value);
    case "date":
      return typeof value === "string" ? age(value, nowMs) : null;
    default:
      return null;
  }
}

function isTime(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return day !== undefined && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

/** The part of a number before the point; what no integer of 64 bits holds is the least of them. */
function wholeNumber(value: number): number {
  return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2 ** 63);
}

function age(text: string, nowMs: number): string {
  if (text === "" || text === "null") return "<unknown>";
  const time = isTime(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? "<invalid>" : humanDuration(nowMs - time);
}

/** A duration in at most two units, as kubectl shows ages: `5d3h`, `47h`, `90s`. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return withRest(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.floor(days / 365);
  return days < 2920 ? withRest(years, "y", days % 365, "d") : `${years}y`;
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
}
