import { badRequest } from "../errors/status.js";
import { goQuote } from "../internal/go-text.js";

/** A label or field selector. */
export interface Selector {
  /** True if it has no requirements and matches everything. */
  readonly empty: boolean;
  /** Requirements of a selector that was parsed from text. */
  readonly requirements?: readonly Requirement[];
  matches(values: Readonly<Record<string, string>>): boolean;
}

/** A requirement of a selector. */
export interface Requirement {
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

function tokenize(text: string): Token[] {
  // kube-apiserver's lexer stops at a zero byte.
  const [read = ""] = text.split("\0", 1);
  const tokens = Array.from(read.matchAll(/[=!]=|[=!(),<>]|[^\s=!(),<>]+/g), ([token]): Token => {
    const isKeyword = /^([=!(),<>]|(in|notin)$)/.test(token);
    return { type: isKeyword ? (token as Token["type"]) : "word", text: token };
  });
  return [...tokens, { type: "end", text: "" }];
}

const namePattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const domainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Returns the errors of a label key. */
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

/** Returns the errors of a label value. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push("must be no more than 63 bytes");
  if (value !== "" && !namePattern.test(value))
    errors.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    );
  return errors;
}

/** Parses a label selector. Throws 400 with apimachinery's messages. */
export function parseLabelSelector(text: string): Selector {
  const requirements = new LabelSelectorReader(text).read();
  if (requirements.length === 0) return everything;
  return { empty: false, requirements, matches: (values) => requirements.every((one) => holds(one, values)) };
}

/** Tokens that can follow a key. */
const operators: Readonly<Partial<Record<Token["type"], Requirement["operator"]>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "=",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

/** `in` and `notin` are ordinary words in the position of a key or value. */
const isWord = ({ type }: Token): boolean => type === "word" || type === "in" || type === "notin";
const beginsTerm = (token: Token): boolean => isWord(token) || token.type === "!";

class LabelSelectorReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  read(): Requirement[] {
    const found: Requirement[] = [];
    while (!this.#take("end")) {
      if (!beginsTerm(this.#next)) throw this.#unexpected("!, identifier, or 'end of string'");
      found.push(this.#requirement());
      if (this.#take("end")) break;
      if (!this.#take(",")) throw this.#unexpected("',' or 'end of string'");
      if (!beginsTerm(this.#next)) throw this.#unexpected("identifier after ','");
    }
    return found;
  }

  get #next(): Token {
    return this.#tokens[this.#at]!;
  }

  #take(type: Token["type"]): boolean {
    if (this.#next.type !== type) return false;
    this.#at += 1;
    return true;
  }

  #unexpected(wanted: string, head = ""): Error {
    return badRequest(`${head}found '${this.#next.text}', expected: ${wanted}`);
  }

  #word(): string {
    if (!isWord(this.#next)) throw this.#unexpected("identifier", "unable to parse requirement: ");
    return this.#tokens[this.#at++]!.text;
  }

  #requirement(): Requirement {
    if (this.#take("!")) return { key: this.#key(), operator: "!", values: [] };
    const key = this.#key();
    const { type } = this.#next;
    if (type === "end" || type === ",") return { key, operator: "exists", values: [] };
    const operator = operators[type];
    if (operator === undefined) throw this.#unexpected("in, notin, =, ==, !=, gt, lt", "unable to parse requirement: ");
    this.#at += 1;
    const values = type === "in" || type === "notin" ? this.#set() : [this.#exact()];
    values.forEach((value, index) => checkValue(operator, value, `values[${index}]`, key));
    return { key, operator, values };
  }

  #key(): string {
    const key = this.#word();
    const errors = labelKeyErrors(key);
    if (errors.length > 0) throw wrongRequirement("<nil>", key, errors);
    return key;
  }

  #exact(): string {
    return this.#next.type === "end" || this.#next.type === "," ? "" : this.#word();
  }

  #set(): string[] {
    if (!this.#take("(")) throw this.#unexpected("'('", "unable to parse requirement: ");
    const values: string[] = [];
    do {
      values.push(isWord(this.#next) ? this.#word() : "");
      if (this.#next.type !== "," && this.#next.type !== ")")
        throw this.#unexpected("',' or ')'", "unable to parse requirement: ");
    } while (this.#take(","));
    this.#at += 1;
    return values;
  }
}

function checkValue(operator: Requirement["operator"], value: string, path: string, key: string): void {
  if ((operator === "gt" || operator === "lt") && !isInt64(value))
    throw wrongRequirement(path, value, ["for 'Gt', 'Lt' operators, the value must be an integer"]);
  const errors = labelValueErrors(value);
  if (errors.length > 0) throw wrongRequirement(`${path}[${key}]`, value, errors);
}

function isInt64(text: string): boolean {
  return /^[+-]?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text.replace("+", ""))) === BigInt(text.replace("+", ""));
}

function wrongRequirement(path: string, value: string, errors: readonly string[]): Error {
  return badRequest(`unable to parse requirement: ${path}: Invalid value: ${goQuote(value)}: ${errors.join("; ")}`);
}

/** A field selector. */
export interface FieldSelector extends Selector {
  /** Value that `metadata.name` must have, if any. */
  readonly name: string | undefined;
  /** Value that `metadata.namespace` must have, if any. */
  readonly namespace: string | undefined;
}

function unescape(value: string): string {
  return value.replace(/\\([\s\S]?)|[,=]/g, (found: string, escaped: string | undefined) => {
    if (escaped === undefined)
      throw badRequest(`invalid field selector: unescaped character in value: ${found.charCodeAt(0)}`);
    if (!/^[\\,=]$/.test(escaped)) throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
    return escaped;
  });
}

/** Parses a field selector; `known` resolves the supported fields. Throws 400 with apimachinery's messages. */
export function parseFieldSelector(text: string, known: (field: string) => string | undefined): FieldSelector {
  const requirements: Requirement[] = [];
  const terms = text.match(/(\\[\s\S]?|[^,\\])+/g) ?? [];
  // Sorted first, like apimachinery, which determines the error that is reported.
  terms.sort();
  for (const term of terms) {
    const match = /^([^=!\\]*)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, key, operator, escaped] = match as unknown as [string, string, string, string];
    const value = unescape(escaped);
    // A term without field and value selects everything.
    if (key === "" && value === "") continue;
    const why = known(key);
    if (why !== undefined) throw badRequest(why);
    requirements.push({ key, operator: operator === "!=" ? "!=" : "=", values: [value] });
  }
  const fixed = (key: string): string | undefined =>
    requirements.find((one) => one.key === key && one.operator === "=")?.values[0];
  return {
    empty: requirements.length === 0,
    requirements,
    name: fixed("metadata.name"),
    namespace: fixed("metadata.namespace"),
    matches: (values) =>
      requirements.every(
        (one) => ((own.call(values, one.key) ? values[one.key] : "") === one.values[0]) === (one.operator === "="),
      ),
  };
}
