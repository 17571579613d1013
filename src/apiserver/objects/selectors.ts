import { badRequest } from "../errors/status.js";
import { goQuote } from "../internal/go-text.js";

/** A test of labels or fields; `empty` ones match everything. */
export interface Selector {
  /** Whether it has no requirement. */
  readonly empty: boolean;
  /** Whether values match. */
  matches(values: Readonly<Record<string, string>>): boolean;
}

interface Requirement {
  readonly key: string;
  readonly operator: "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";
  readonly values: readonly string[];
}

const everything: Selector = { empty: true, matches: () => true };
const own = Object.prototype.hasOwnProperty;

function holds(requirement: Requirement, values: Readonly<Record<string, string>>): boolean {
  const has = own.call(values, requirement.key);
  const value = has ? values[requirement.key]! : undefined;
  switch (requirement.operator) {
    case "exists":
      return has;
    case "!":
      return !has;
    case "=":
    case "in":
      return has && requirement.values.includes(value!);
    case "!=":
    case "notin":
      return !has || !requirement.values.includes(value!);
    default: {
      if (!has || !/^[+-]?\d+$/.test(value!)) return false;
      const left = BigInt(value!);
      const right = BigInt(requirement.values[0]!);
      return requirement.operator === "gt" ? left > right : left < right;
    }
  }
}

interface Token {
  readonly type: "word" | "end" | "=" | "==" | "!=" | "!" | "," | "(" | ")" | ">" | "<" | "in" | "notin";
  readonly text: string;
}

function tokenize(whole: string): Token[] {
  const tokens: Token[] = [];
  // To the lexer of a real server a zero byte is the end.
  const [text = ""] = whole.split("\0", 1);
  const special = /[=!(),<>]/;
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (/\s/.test(char)) {
      at += 1;
      continue;
    }
    if (special.test(char)) {
      const two = text.slice(at, at + 2);
      if (two === "==" || two === "!=") {
        tokens.push({ type: two, text: two });
        at += 2;
      } else {
        tokens.push({ type: char as Token["type"], text: char });
        at += 1;
      }
      continue;
    }
    let end = at;
    while (end < text.length && !/\s/.test(text[end]!) && !special.test(text[end]!)) end += 1;
    const word = text.slice(at, end);
    tokens.push({ type: word === "in" || word === "notin" ? word : "word", text: word });
    at = end;
  }
  tokens.push({ type: "end", text: "" });
  return tokens;
}

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const domainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Why a text is no label key; empty if it is one. */
export function labelKeyErrors(key: string): string[] {
  const errors: string[] = [];
  const slash = key.split("/");
  let name = key;
  if (slash.length === 2) {
    const prefix = slash[0]!;
    name = slash[1]!;
    if (prefix === "") errors.push("prefix part must be non-empty");
    else {
      if (prefix.length > 253) errors.push("prefix part must be no more than 253 bytes");
      if (!domainPattern.test(prefix))
        errors.push(
          "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        );
    }
  } else if (slash.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (name.length > 63) errors.push("name part must be no more than 63 bytes");
  if (!namePattern.test(name))
    errors.push(
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    );
  return errors;
}

/** Why a text is no label value; empty if it is one. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push("must be no more than 63 bytes");
  if (value !== "" && !namePattern.test(value))
    errors.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    );
  return errors;
}

const fail = (why: string): never => {
  throw badRequest(why);
};

const wordTypes: ReadonlySet<Token["type"]> = new Set(["word", "in", "notin"]);

/** Parser of label selectors, with the grammar and the errors of apimachinery. */
class LabelSelectorParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** Reads the whole selector. Throws 400. */
  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.type === "end") return requirements;
      if (token.type !== "!" && !wordTypes.has(token.type))
        fail(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const after = this.#peek();
      if (after.type === "end") return requirements;
      if (after.type !== ",") fail(`found '${after.text}', expected: ',' or 'end of string'`);
      this.#at += 1;
      const next = this.#peek();
      if (next.type !== "!" && !wordTypes.has(next.type)) fail(`found '${next.text}', expected: identifier after ','`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #requirement(): Requirement {
    if (this.#peek().type === "!") {
      this.#at += 1;
      return { key: this.#key(), operator: "!", values: [] };
    }
    const name = this.#key();
    const token = this.#peek();
    if (token.type !== "end" && token.type !== ",") this.#at += 1;
    switch (token.type) {
      case "end":
      case ",":
        return { key: name, operator: "exists", values: [] };
      case "in":
      case "notin":
        return checkedRequirement(name, token.type, this.#set());
      case "=":
      case "==":
        return checkedRequirement(name, "=", [this.#exact()]);
      case "!=":
        return checkedRequirement(name, "!=", [this.#exact()]);
      case ">":
        return checkedRequirement(name, "gt", [this.#exact()]);
      case "<":
        return checkedRequirement(name, "lt", [this.#exact()]);
      default:
        return fail(`unable to parse requirement: found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  /** Reads a key; `in` and `notin` are words here. */
  #key(): string {
    const token = this.#peek();
    if (!wordTypes.has(token.type))
      return fail(`unable to parse requirement: found '${token.text}', expected: identifier`);
    this.#at += 1;
    const errors = labelKeyErrors(token.text);
    if (errors.length > 0)
      fail(`unable to parse requirement: <nil>: Invalid value: ${goQuote(token.text)}: ${errors.join("; ")}`);
    return token.text;
  }

  #exact(): string {
    const token = this.#peek();
    if (token.type === "end" || token.type === ",") return "";
    if (!wordTypes.has(token.type))
      return fail(`unable to parse requirement: found '${token.text}', expected: identifier`);
    this.#at += 1;
    return token.text;
  }

  #set(): string[] {
    if (this.#peek().type !== "(") fail(`unable to parse requirement: found '${this.#peek().text}' expected: '('`);
    this.#at += 1;
    const values: string[] = [];
    if (this.#peek().type === ")") {
      this.#at += 1;
      return [""];
    }
    for (;;) {
      const token = this.#peek();
      if (wordTypes.has(token.type)) {
        values.push(token.text);
        this.#at += 1;
        if (this.#peek().type === ",") {
          this.#at += 1;
          if (this.#peek().type === ")") values.push("");
        } else if (this.#peek().type !== ")")
          fail(`unable to parse requirement: found '${this.#peek().text}', expected: ',' or ')'`);
      } else if (token.type === ",") {
        values.push("");
        this.#at += 1;
        if (this.#peek().type === ")") values.push("");
      } else if (token.type === ")") {
        this.#at += 1;
        return values;
      } else fail(`unable to parse requirement: found '${token.text}', expected: ',', ')' or identifier`);
    }
  }
}

/** Makes a requirement. Throws 400 for values that are no label values. */
function checkedRequirement(key: string, operator: Requirement["operator"], values: string[]): Requirement {
  for (const [index, value] of values.entries()) {
    if ((operator === "gt" || operator === "lt") && !/^[+-]?\d+$/.test(value))
      fail(
        `unable to parse requirement: values[${index}]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    const errors = labelValueErrors(value);
    if (errors.length > 0)
      fail(
        `unable to parse requirement: values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${errors.join("; ")}`,
      );
  }
  return { key, operator, values };
}

/** Parses a label selector. Throws 400 with the errors of apimachinery. */
export function parseLabelSelector(text: string): Selector {
  const requirements = new LabelSelectorParser(text).parse();
  if (requirements.length === 0) return everything;
  return { empty: false, matches: (values) => requirements.every((one) => holds(one, values)) };
}

/** A field selector: also knows the one name it allows, if it does. */
export interface FieldSelector extends Selector {
  /** Value that `metadata.name` must have. */
  readonly name: string | undefined;
  /** Value that `metadata.namespace` must have. */
  readonly namespace: string | undefined;
}

function unescape(value: string): string {
  let out = "";
  for (let at = 0; at < value.length; at += 1) {
    const char = value[at]!;
    if (char === "\\") {
      const next = value[at + 1];
      if (next === undefined || !"\\,=".includes(next))
        throw badRequest(`invalid field selector: invalid escape sequence: ${value.slice(at, at + 2)}`);
      out += next;
      at += 1;
    } else if (char === "," || char === "=")
      throw badRequest(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    else out += char;
  }
  return out;
}

/** Reads a field selector; `known` are the fields that may stand in it. Throws 400 in apimachinery's words. */
export function parseFieldSelector(text: string, known: (field: string) => string | undefined): FieldSelector {
  const requirements: Requirement[] = [];
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === ",") {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  // Sorted first, as the library does: it decides which of several mistakes is told.
  terms.sort();
  for (const term of terms) {
    if (term === "") continue;
    const match = /^([^=!\\]*)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const key = match[1]!;
    const why = known(key);
    if (why !== undefined) throw badRequest(why);
    requirements.push({ key, operator: match[2] === "!=" ? "!=" : "=", values: [unescape(match[3]!)] });
  }
  const fixed = (key: string): string | undefined =>
    requirements.find((one) => one.key === key && one.operator === "=")?.values[0];
  return {
    empty: requirements.length === 0,
    name: fixed("metadata.name"),
    namespace: fixed("metadata.namespace"),
    matches: (values) =>
      requirements.every(
        (one) => ((own.call(values, one.key) ? values[one.key] : "") === one.values[0]) === (one.operator === "="),
      ),
  };
}
