import type { Schema } from "./schema.js";

/**
 * A path through a schema. A step is a field name, or a one-element list with a map key. `schema` is the one at its
 * end.
 */
export interface FieldPath {
  readonly steps: readonly (string | readonly [key: string])[];
  readonly schema: Schema | undefined;
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

/** Parses a path such as `.spec['a.b']` for a schema. Throws a `SyntaxError` with the reason. */
export function readFieldPath(text: string, root: Schema, brackets = true): FieldPath {
  const tokens = tokensOf(text);
  const steps: (string | readonly [string])[] = [];
  let schema: Schema | undefined = root;
  let at = 0;
  const next = (): string => {
    const token = tokens[at];
    if (token === undefined) throw new SyntaxError("unexpected end of JSON path");
    at += 1;
    return token;
  };
  const into = (name: string): void => {
    if (Object.keys(schema?.properties ?? {}).length > 0) {
      if (!Object.hasOwn(schema!.properties!, name)) throw new SyntaxError("does not refer to a valid field");
      steps.push(name);
      schema = schema!.properties![name];
    } else if (schema?.additionalProperties !== undefined) {
      steps.push([name]);
      schema = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
    } else throw new SyntaxError("does not refer to a valid field");
  };
  while (at < tokens.length) {
    const token = next();
    if (token === ".") into(next());
    else if (token !== "[") throw new SyntaxError(`expected [ or . but got: ${token}`);
    else if (!brackets) throw new SyntaxError("array notation is not allowed");
    else {
      const quoted = next();
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'"))
        throw new SyntaxError(`expected single quoted string but got ${quoted}`);
      into(unescaped(quoted.slice(1, -1)));
      const end = next();
      if (end !== "]") throw new SyntaxError(`expected ] but got ${end}`);
    }
  }
  return { steps, schema };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (directive, letter: string) => {
    if (!Object.hasOwn(escapes, letter))
      throw new SyntaxError(`invalid string literal: invalid escape char ${directive}`);
    return escapes[letter]!;
  });
}

/** Splits a path at its delimiters, except within single quotes. */
function tokensOf(text: string): string[] {
  return text.match(/'(?:[^'\\]|\\.)*'|'[^]*|[.[\]]|[^.[\]]+/g) ?? [];
}

/** Formats a path for errors, appended to another one. */
export function joinFieldPath(path: string, { steps }: FieldPath): string {
  const relative = steps.reduce<string>(
    (text, step) => (typeof step === "string" ? (text === "" ? step : `${text}.${step}`) : `${text}[${step[0]}]`),
    "",
  );
  return path === "" ? relative : `${path}.${relative}`;
}
