// Formats values for the playground's output, in the style of Node's console.

const widest = 72;

/** Returns the text that `console.log` shows for a value. Strings inside objects are quoted. */
export function format(value: unknown, depth = 0, seen: readonly object[] = []): string {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return formatError(value);
  if (value instanceof Date) return value.toISOString();
  if (seen.includes(value)) return "[circular]";
  const inner = [...seen, value];
  const item = (each: unknown): string => format(each, depth + 1, inner);
  if (Array.isArray(value)) return depth > 4 ? "[…]" : wrap("[", value.map(item), "]", depth);
  if (value instanceof Map)
    return wrap(
      `Map(${value.size}) {`,
      [...value].map(([key, each]) => `${item(key)} => ${item(each)}`),
      "}",
      depth,
    );
  if (value instanceof Set) return wrap(`Set(${value.size}) {`, [...value].map(item), "}", depth);
  if (depth > 4) return "{…}";
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([key, each]) => `${/^[\w$]+$/.test(key) ? key : JSON.stringify(key)}: ${item(each)}`);
  return wrap("{", entries, "}", depth);
}

function formatError(error: Error): string {
  const cause = error.cause instanceof Error ? `\n  caused by ${formatError(error.cause)}` : "";
  return `${error.name}: ${error.message}${cause}`;
}

function wrap(open: string, items: readonly string[], close: string, depth: number): string {
  if (items.length === 0) return open + close;
  const line = items.join(", ");
  const space = open === "[" ? "" : " ";
  if (line.length + depth * 2 < widest && !line.includes("\n")) return `${open}${space}${line}${space}${close}`;
  const indent = "  ".repeat(depth + 1);
  return `${open}\n${items.map((each) => indent + each).join(",\n")}\n${"  ".repeat(depth)}${close}`;
}
