/** Part of an action of a template. */
export interface Token {
  readonly is: "literal" | "variable" | "field" | "name" | "mark";
  readonly text: string;
  /** Value of a literal. */
  readonly value?: unknown;
  /** Fields that follow, such as `spec` and `containers` of `.spec.containers`. */
  readonly fields: readonly string[];
}

const pattern =
  /\s+|(?<string>"(?:[^"\\\n]|\\.)*")|`(?<raw>[^`]*)`|(?<number>[-+]?\d+(?:\.\d+)?)|\$(?<variable>\w*)(?<path>(?:\.\w+)*)|(?<field>(?:\.\w+)+|\.)|(?<name>[A-Za-z_]\w*)|\)(?<close>(?:\.\w+)*)|(?<mark>:=|[=|(,])/y;

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, nil: undefined };

/** Splits an action, the text between `{{` and `}}`. Throws a `SyntaxError` with the line. */
export function lexAction(action: string, line: number): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < action.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(action);
    if (match === null) throw new SyntaxError(`line ${line}: unexpected ${JSON.stringify(action.slice(at, at + 20))}`);
    at = pattern.lastIndex;
    const { string, raw, number, variable, path = "", field, name, close, mark } = match.groups!;
    const fieldsOf = (text: string): string[] => text.split(".").filter((part) => part !== "");
    const literal = (value: unknown): void => void tokens.push({ is: "literal", text: match[0], value, fields: [] });
    if (string !== undefined) literal(unquote(string, line));
    else if (raw !== undefined) literal(raw);
    else if (number !== undefined) literal(Number(number));
    else if (variable !== undefined) tokens.push({ is: "variable", text: variable, fields: fieldsOf(path) });
    else if (field !== undefined) tokens.push({ is: "field", text: field, fields: fieldsOf(field) });
    else if (name !== undefined && Object.hasOwn(constants, name)) literal(constants[name]);
    else if (name !== undefined) tokens.push({ is: "name", text: name, fields: [] });
    else if (close !== undefined) tokens.push({ is: "mark", text: ")", fields: fieldsOf(close) });
    else if (mark !== undefined) tokens.push({ is: "mark", text: mark, fields: [] });
  }
  return tokens;
}

function unquote(text: string, line: number): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new SyntaxError(`line ${line}: invalid string ${text}`);
  }
}
