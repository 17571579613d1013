import { podPrinter } from "../core/pod/pod-printer.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { createPrinter } from "../shared/kind-printer.js";
import type { Printer } from "../strategy.js";
import { configPrinters } from "./config-printers.js";
import { networkPrinters } from "./network-printers.js";
import { workloadPrinters } from "./workload-printers.js";

const printers: Readonly<Record<string, KindPrinter>> = {
  "/pods": podPrinter,
  ...workloadPrinters,
  ...networkPrinters,
  ...configPrinters,
};

/** How a kind is printed; undefined where it is by name and creation time alone. */
export function printerFor(group: string, resource: string): Printer | undefined {
  const key = `${group}/${resource}`;
  const printer = Object.hasOwn(printers, key) ? printers[key] : undefined;
  return printer === undefined ? undefined : createPrinter(printer);
}
