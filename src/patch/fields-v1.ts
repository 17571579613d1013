/**
 * Trie of managed fields, as stored in `fieldsV1`. Its steps are `f:name`, `k:{keys}`, `v:value` and `i:index`; `.`
 * stands for the node itself.
 */
export type FieldsV1 = { readonly [step: string]: FieldsV1 };

/** Parsed step of the trie. */
export type FieldStep =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "keys"; readonly keys: Readonly<Record<string, unknown>> }
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "index"; readonly index: number };

/** Parses a step of the trie. Returns `undefined` for an unknown kind of step. */
export function parseFieldStep(step: string): FieldStep | undefined {
  const text = step.slice(2);
  try {
    switch (step.slice(0, 2)) {
      case "f:":
        return { type: "field", name: text };
      case "k:": {
        const keys: unknown = JSON.parse(text);
        return typeof keys === "object" && keys !== null
          ? { type: "keys", keys: keys as Record<string, unknown> }
          : undefined;
      }
      case "v:":
        return { type: "value", value: JSON.parse(text) };
      case "i:":
        return { type: "index", index: Number(text) };
      default:
        return undefined;
    }
  } catch {
    // Invalid JSON in the step: ignore it.
    return undefined;
  }
}

/** Lists the fields of a trie as paths in the server's notation: `.spec.containers[name="app"].image`. */
export function fieldPaths(fields: FieldsV1): string[] {
  const paths: string[] = [];
  const walk = (node: FieldsV1, path: string): void => {
    for (const [step, below] of Object.entries(node)) {
      if (step === ".") {
        paths.push(path);
        continue;
      }
      const at = path + formatStep(step);
      if (Object.keys(below).length === 0) paths.push(at);
      else walk(below, at);
    }
  };
  walk(fields, "");
  return paths;
}

function formatStep(text: string): string {
  const step = parseFieldStep(text);
  switch (step?.type) {
    case "field":
      return `.${step.name}`;
    case "keys":
      return `[${Object.entries(step.keys)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(",")}]`;
    case "value":
      return `[=${JSON.stringify(step.value)}]`;
    case "index":
      return `[${step.index}]`;
    default:
      return `[${text}]`;
  }
}

/** Returns the union of two tries. */
export function uniteFields(a: FieldsV1, b: FieldsV1): FieldsV1 {
  const united: Record<string, FieldsV1> = { ...a };
  for (const [step, below] of Object.entries(b)) {
    const mine = Object.hasOwn(a, step) ? a[step]! : undefined;
    // A leaf is a member itself. A node with children is one only if it has a dot.
    united[step] = mine === undefined ? below : uniteNodes(mine, below);
  }
  return united;
}

function uniteNodes(a: FieldsV1, b: FieldsV1): FieldsV1 {
  const emptyA = Object.keys(a).length === 0;
  const emptyB = Object.keys(b).length === 0;
  if (emptyA && emptyB) return a;
  if (emptyA) return { ".": {}, ...b };
  if (emptyB) return { ".": {}, ...a };
  return uniteFields(a, b);
}
