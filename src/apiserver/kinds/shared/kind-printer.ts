import type { TableColumnDefinition } from "../../../meta/table.js";
import { formatAge } from "./print-age.js";
import type { Printer } from "./strategy.js";

/** Columns and cells of a kind's tables. */
export interface KindPrinter<T = never> {
  /** Headings after `Name`, separated by commas; `:integer` sets a type, `/name` the format, `*` marks wide output. */
  readonly columns: string;
  /** Returns the cells after the name; `age` is the time since creation. */
  readonly cells: (object: T, age: string, nowMs: number) => unknown[];
  /** Returns the first cell. Default: the object's name. */
  readonly name?: ((object: T) => string) | undefined;
  /** True if the name is the last column, in wide output only, instead of the first. */
  readonly nameLast?: true | undefined;
  /** Compares two objects, for the order of the rows of a list. Default: the order of the list. */
  readonly compare?: ((a: T, b: T) => number) | undefined;
  /** Row conditions. */
  readonly conditions?: NonNullable<Printer["conditions"]> | undefined;
}

/** Printer with name and age only. */
export const ageOnly: KindPrinter<unknown> = { columns: "Age", cells: (_, age) => [age] };

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

export function createPrinter(kind: KindPrinter): Printer {
  const headings = kind.nameLast === true ? `${kind.columns},Name*` : `Name,${kind.columns}`;
  const columns = headings.split(",").map((text): TableColumnDefinition => {
    const [, name = "", type = "string", format, wide] = /^([^:*/]*)(?::([a-z]+))?(\/name)?(\*?)$/.exec(text) ?? [];
    return {
      name,
      type,
      format: format !== undefined || name === "Name" ? "name" : "",
      description: descriptions[name] ?? `${name} of the object.`,
      priority: wide === "*" ? 1 : 0,
    };
  });
  return {
    columns,
    cells: (object, nowMs) => {
      const name = kind.name?.(object as never) ?? object.metadata?.name ?? "";
      const cells = kind.cells(object as never, formatAge(object.metadata?.creationTimestamp, nowMs), nowMs);
      return kind.nameLast === true ? [...cells, name] : [name, ...cells];
    },
    ...(kind.compare === undefined ? {} : { compare: kind.compare }),
    ...(kind.conditions === undefined ? {} : { conditions: kind.conditions }),
  };
}

/** Returns the first items of a list, and how many more there are. */
export function firstFew(list: readonly string[], most: number): string {
  return list.length > most
    ? `${list.slice(0, most).join(",")} + ${String(list.length - most)} more...`
    : list.join(",");
}

/** True if a field has a value; a missing time may be null. */
export function isSet<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}
