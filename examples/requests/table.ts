// Print what `kubectl get pods` prints: the server renders the columns, so custom kinds work as well.
import { getCell } from "kubestream";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const { items } = await client.resource(Pod).namespace("web").asTable().list();
// Columns with a priority above 0 are those of `-o wide`.
const columns = (items[0]?.columns ?? []).filter((column) => column.priority === 0);
const rows = items.map((row) => columns.map((column) => String(getCell(row, column.name))));
const lines = [columns.map((column) => column.name.toUpperCase()), ...rows];
const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
for (const line of lines)
  console.log(
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
await client.close();
