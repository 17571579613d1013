/** One requirement of a label selector. */
export interface LabelRequirement {
  /** The label's key. */
  readonly key: string;
  /** What is required of it. `in` and `notin` cover `=` and `!=`. */
  readonly operator: "in" | "notin" | "exists" | "absent" | "gt" | "lt";
  /** The values; none for `exists` and `absent`. */
  readonly values: readonly string[];
}

/** One requirement of a field selector. */
export interface FieldRequirement {
  /** Path of the field, as `status.phase`. */
  readonly path: string;
  /** Whether the field is to have the value or not. */
  readonly operator: "=" | "!=";
  /** The value. */
  readonly value: string;
}

const keyPattern = /^([A-Za-z0-9.-]+\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;

/**
 * Reads a label selector as the server does: `app=web,tier in (a, b),!legacy,weight>3`. Throws a `TypeError` naming the part
 * that is none.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  return splitOutside(selector).map((part) => labelRequirement(part, selector));
}

/** Whether labels meet every requirement. As with the server, `!=` and `notin` also hold where the label is absent. */
export function matchesLabels(
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return requirements.every(({ key, operator, values }) => {
    const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case "in":
        return value !== undefined && values.includes(value);
      case "notin":
        return value === undefined || !values.includes(value);
      case "exists":
        return value !== undefined;
      case "absent":
        return value === undefined;
      case "gt":
      case "lt": {
        if (value === undefined || !/^-?\d+$/.test(value)) return false;
        const order = BigInt(value) - BigInt(values[0]!);
        return operator === "gt" ? order > 0n : order < 0n;
      }
    }
  });
}

/**
 * Reads a field selector: `status.phase=Running,spec.nodeName!=`; `\,`, `\=` and `\\` stand for themselves in values.
 * Throws a `TypeError` naming the part that is none.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export function parseFieldSelector(selector: string): FieldRequirement[] {
  const parts = selector.match(/(?:\\.|[^,\\])+/g) ?? [];
  return parts
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const found = /^\s*([^=!\\]+?)\s*(!=|==?)((?:\\.|[^\\=])*)$/.exec(part);
      if (found === null)
        throw new TypeError(`field selector ${JSON.stringify(selector)}: ${JSON.stringify(part)} is no requirement`);
      return { path: found[1]!, operator: found[2] === "!=" ? "!=" : "=", value: found[3]!.replace(/\\(.)/g, "$1") };
    });
}

/** The value of a field as a field selector sees it: `""` where there is none, and for anything that is no single value. */
export function fieldValue(object: unknown, path: string): string {
  let value: unknown = object;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return "";
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : "";
}

/** Whether an object meets every requirement. Any path is looked up, also those that no server would select by. */
export function matchesFields(requirements: readonly FieldRequirement[], object: unknown): boolean {
  return requirements.every(({ path, operator, value }) => (fieldValue(object, path) === value) === (operator === "="));
}

function labelRequirement(part: string, selector: string): LabelRequirement {
  const bad = (): TypeError =>
    new TypeError(`label selector ${JSON.stringify(selector)}: ${JSON.stringify(part)} is no requirement`);
  const found =
    /^\s*(!?)\s*([^\s=!<>(),]+)\s*(?:(==|=|!=|>|<)\s*([^\s=!<>(),]*)\s*|\s(in|notin)\s*\(([^()]*)\)\s*)?$/.exec(part);
  if (found === null || !keyPattern.test(found[2]!)) throw bad();
  const [, not, key, sign, value, set, list] = found as unknown as [
    string,
    string,
    string,
    string?,
    string?,
    string?,
    string?,
  ];
  if (sign === undefined && set === undefined) return { key, operator: not === "!" ? "absent" : "exists", values: [] };
  if (not === "!") throw bad();
  if (set !== undefined)
    return { key, operator: set as "in" | "notin", values: list!.split(",").map((item) => item.trim()) };
  if (sign === ">" || sign === "<") {
    if (!/^-?\d+$/.test(value!)) throw bad();
    return { key, operator: sign === ">" ? "gt" : "lt", values: [value!] };
  }
  return { key, operator: sign === "!=" ? "notin" : "in", values: [value!] };
}

/** Splits at commas that are not inside parentheses. */
function splitOutside(text: string): string[] {
  if (text.trim() === "") return [];
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
