type Step =
  | { readonly is: "field"; readonly name: string }
  | { readonly is: "each" }
  | { readonly is: "select"; readonly path: readonly Step[]; readonly equals: boolean; readonly value: unknown };

/** Returns the values of an object that an expression selects. */
export type Expression = (object: unknown) => readonly unknown[];

const longest = 4_096;

/**
 * Compiles the part of jq that selects values, such as `.status.phase`, `.metadata.annotations["a/b"]` and
 * `.status.conditions.[] | select(.type == "Ready") | .status`. Throws a `SyntaxError` for the rest of the language.
 */
export function compileExpression(text: string): Expression {
  if (text.length > longest) throw new SyntaxError(`an expression must not be longer than ${longest} characters`);
  const steps = splitPipes(text).flatMap(parseTerm);
  return (object) => evaluate(steps, object).filter((value) => value !== undefined && value !== null);
}

function splitPipes(text: string): string[] {
  // A bar in a text in quotes doesn't separate terms.
  return (text.match(/(?:"(?:[^"\\]|\\.)*"|[^|"])+/g) ?? []).map((term) => term.trim());
}

function parseTerm(term: string): Step[] {
  const [, condition] = /^select\s*\(([^]*)\)$/.exec(term) ?? [];
  if (condition === undefined) return parsePath(term);
  const [, path = "", operator, literal = ""] =
    /^(\.[^=!]*)(==|!=)\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false|null)$/.exec(condition.trim()) ?? [];
  if (operator === undefined) throw unsupported(term);
  return [{ is: "select", path: parsePath(path.trimEnd()), equals: operator === "==", value: JSON.parse(literal) }];
}

function parsePath(path: string): Step[] {
  const steps: Step[] = [];
  const pattern = /\.?\[\s*(?:("(?:[^"\\]|\\.)*")\s*)?\]|\.([A-Za-z_]\w*)|\.$/y;
  let at = 0;
  while (at < path.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(path);
    if (match === null || !path.startsWith(".")) throw unsupported(path);
    at = pattern.lastIndex;
    const name = match[2] ?? (match[1] === undefined ? undefined : (JSON.parse(match[1]) as string));
    if (name !== undefined) steps.push({ is: "field", name });
    else if (match[0] !== ".") steps.push({ is: "each" });
  }
  return steps;
}

function unsupported(part: string): SyntaxError {
  return new SyntaxError(
    `${JSON.stringify(part)} is not supported: use paths such as .status.phase, .list.[] and select(.field == "value")`,
  );
}

function evaluate(steps: readonly Step[], object: unknown): unknown[] {
  return steps.reduce<unknown[]>(
    (values, step) => {
      if (step.is === "each")
        return values.flatMap((value) =>
          typeof value === "object" && value !== null ? (Object.values(value) as unknown[]) : [],
        );
      if (step.is === "field")
        return values.map((value) =>
          typeof value === "object" && value !== null && Object.hasOwn(value, step.name)
            ? (value as Record<string, unknown>)[step.name]
            : undefined,
        );
      return values.filter(
        (value) => evaluate(step.path, value).some((each) => (each ?? null) === step.value) === step.equals,
      );
    },
    [object],
  );
}
