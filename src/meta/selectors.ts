/** One requirement of a label selector. */
export interface LabelRequirement {
  /** Label key. */
  readonly key: string;
  /** Operator. `=` and `!=` are parsed as `in` and `notin`. */
  readonly operator: "in" | "notin" | "exists" | "absent" | "gt" | "lt";
  /** Values; empty for `exists` and `absent`. */
  readonly values: readonly string[];
}

/** One requirement of a field selector. */
export interface FieldRequirement {
  /** Path of the field, such as `status.phase`. */
  readonly path: string;
  /** Operator: the field equals the value, or doesn't. */
  readonly operator: "=" | "!=";
  /** Value to compare with. */
  readonly value: string;
}

const keyPattern = /^([A-Za-z0-9.-]+\/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/;

/**
 * Parses a label selector like the server does: `app=web,tier in (a, b),!legacy,weight>3`. Throws a `TypeError` that
 * names the invalid part.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 *
 * @example
 * ```ts
 * import { matchesLabels, parseLabelSelector } from "kubestream/objects";
 *
 * const requirements = parseLabelSelector("app=web,tier notin (cache)");
 * console.log(matchesLabels(requirements, { app: "web" })); // true
 * ```
 */
export function parseLabelSelector(selector: string): LabelRequirement[] {
  return splitOutside(selector).map((part) => labelRequirement(part, selector));
}

/**
 * Returns true if labels meet every requirement. Like on the server, `!=` and `notin` also match if the label is
 * absent.
 */
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
 * Parses a field selector: `status.phase=Running,spec.nodeName!=`. In values, `\,`, `\=` and `\\` are escapes. Throws a
 * `TypeError` that names the invalid part.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export function parseFieldSelector(selector: string): FieldRequirement[] {
  const parts = selector.match(/(?:\\.|[^,\\])+/g) ?? [];
  return parts
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const found = /^([^=!\\]+)(!=|==?)((?:\\.|[^\\=])*)$/.exec(part.trimStart());
      if (found === null)
        throw new TypeError(`field selector ${JSON.stringify(selector)}: invalid requirement ${JSON.stringify(part)}`);
      return {
        path: found[1]!.trimEnd(),
        operator: found[2] === "!=" ? "!=" : "=",
        value: found[3]!.replace(/\\(.)/g, "$1"),
      };
    });
}

/** Returns the value of a field as a field selector sees it: `""` if it is absent or isn't a scalar. */
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

/**
 * Returns true if an object meets every requirement. Any path works, including those that a server doesn't support in
 * selectors.
 */
export function matchesFields(requirements: readonly FieldRequirement[], object: unknown): boolean {
  return requirements.every(({ path, operator, value }) => (fieldValue(object, path) === value) === (operator === "="));
}

function labelRequirement(part: string, selector: string): LabelRequirement {
  const bad = (): TypeError =>
    new TypeError(`label selector ${JSON.stringify(selector)}: invalid requirement ${JSON.stringify(part)}`);
  const found = /^(!?)\s*([^\s=!<>(),]+)(?:\s*(==|=|!=|>|<)\s*([^\s=!<>(),]*)|\s+(in|notin)\s*\(([^()]*)\))?$/.exec(
    part.trim(),
  );
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

/** Splits at commas outside parentheses. */
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
