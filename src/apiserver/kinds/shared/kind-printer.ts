import type { TableColumnDefinition } from "../../../meta/table.js";
import type { Printer } from "../strategy.js";
import { formatAge } from "./print-age.js";

/** Says how a kind is printed; the object's type is the table's business. */
export interface KindPrinter {
  /** Headings after `Name`, separated by commas; `:integer` gives a type, `/name` the format, `*` marks those of wide output. */
  readonly columns: string;
  /** The cells after the name; `age` is the time since creation. */
  readonly cells: (object: never, age: string, nowMs: number) => unknown[];
  /** What the first column shows instead of the name. */
  readonly name?: (object: never) => string;
  /** Row conditions. */
  readonly conditions?: NonNullable<Printer["conditions"]>;
}

/** What the columns show. A real server describes all but the last three. */
const descriptions: Readonly<Record<string, string>> = {
  Name: "Name of the object.",
  Age: "Time since the object was created.",
  "Created At": "When the object was created.",
  Ready: "How many of the wanted parts are ready.",
  Status: "State the object is in.",
  Restarts: "How often containers were restarted, and when last.",
  Containers: "Names of the containers.",
  Images: "Images of the containers.",
  Selector: "Labels of the objects that belong to this one.",
  Handler: "",
  BinaryVersion: "",
  EmulationVersion: "",
};

/** Makes the printer of a kind. */
export function createPrinter(kind: KindPrinter): Printer {
  const columns = ["Name", ...kind.columns.split(",")].map((text): TableColumnDefinition => {
    const [, name = "", type = "string", format, wide] = /^([^:*/]*)(?::([a-z]+))?(\/name)?(\*?)$/.exec(text) ?? [];
    return {
      name,
      type,
      format: format !== undefined || (name === "Name" && wide === "") ? "name" : "",
      description: descriptions[name] ?? `${name} of the object.`,
      priority: wide === "*" ? 1 : 0,
    };
  });
  return {
    columns,
    cells: (object, nowMs) => [
      kind.name?.(object as never) ?? object.metadata?.name ?? "",
      ...kind.cells(object as never, formatAge(object.metadata?.creationTimestamp, nowMs), nowMs),
    ],
    ...(kind.conditions === undefined ? {} : { conditions: kind.conditions }),
  };
}

/** The first few of a list and how many more there are. */
export function firstFew(list: readonly string[], most: number): string {
  return list.length > most
    ? `${list.slice(0, most).join(",")} + ${String(list.length - most)} more...`
    : list.join(",");
}

/** Whether a field has a value: times that are not set may be null. */
export function isSet<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
