import { ConfigError } from "../../errors/errors.js";
import { parseYamlDocuments } from "../../internal/yaml/yaml.js";
import { compileExpression, type Expression } from "./expression.js";
import type { Stage, StageNext } from "./stage.js";
import { parseTemplate, type TemplateNode } from "./template/parse-template.js";
import { generalFunctions } from "./template/template-functions.js";

/** Functions of templates that depend on the object and the cluster. */
export const objectFunctions = [
  "NodeConditions",
  "NodeIP",
  "NodeIPWith",
  "NodeIPsWith",
  "NodeName",
  "NodePort",
  "Now",
  "PodIP",
  "PodIPWith",
  "PodIPsWith",
  "StartTime",
  "Version",
] as const;

/** A stage that is ready to apply. */
export interface CompiledStage {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Returns true for an object that the stage applies to. */
  readonly matches: (object: unknown) => boolean;
  readonly weight: number;
  readonly weightFrom: Expression | undefined;
  readonly delayMs: number;
  readonly delayFrom: Expression | undefined;
  readonly longestMs: number | undefined;
  readonly longestFrom: Expression | undefined;
  readonly next: Omit<StageNext, "statusTemplate">;
  readonly template: readonly TemplateNode[] | undefined;
}

const apiVersions = new Set(["kwok.x-k8s.io/v1alpha1"]);
const known: Readonly<Record<string, readonly string[]>> = {
  spec: ["resourceRef", "selector", "weight", "weightFrom", "delay", "next", "immediateNextStage"],
  "spec.resourceRef": ["apiGroup", "kind"],
  "spec.selector": ["matchLabels", "matchAnnotations", "matchExpressions"],
  "spec.delay": ["durationMilliseconds", "durationFrom", "jitterDurationMilliseconds", "jitterDurationFrom"],
  "spec.next": ["event", "finalizers", "delete", "statusTemplate", "statusSubresource"],
  "spec.next.event": ["type", "reason", "message"],
  "spec.next.finalizers": ["add", "remove", "empty"],
};

/**
 * Reads stages from YAML with any number of documents, or from objects. Throws a `ConfigError` that names the stage and
 * the field for what is invalid or not supported.
 */
export function readStages(stages: string | readonly Stage[]): CompiledStage[] {
  const values = typeof stages === "string" ? parse(stages) : stages;
  return values.map((value, index) => {
    const name = (value as { metadata?: { name?: unknown } } | null)?.metadata?.name;
    return new StageReader(value, `stages[${index}]${typeof name === "string" ? ` (${name})` : ""}`).read();
  });
}

function parse(text: string): unknown[] {
  try {
    return parseYamlDocuments(text)
      .filter((document) => document !== null)
      .flatMap((document) => {
        const { kind, items } = document as { kind?: unknown; items?: unknown };
        return kind === "List" || kind === "StageList" ? items : [document];
      });
  } catch (error) {
    throw new ConfigError(`stages: ${error instanceof Error ? error.message : String(error)}`);
  }
}

class StageReader {
  readonly #stage: unknown;
  readonly #where: string;

  constructor(stage: unknown, where: string) {
    this.#stage = stage;
    this.#where = where;
  }

  read(): CompiledStage {
    const { apiVersion = "kwok.x-k8s.io/v1alpha1", kind = "Stage" } = this.#object("") ?? this.#fail("", "is required");
    if (kind !== "Stage") this.#fail("kind", `must be Stage, not ${JSON.stringify(kind)}`);
    if (!apiVersions.has(String(apiVersion)))
      this.#fail("apiVersion", `must be kwok.x-k8s.io/v1alpha1, not ${JSON.stringify(apiVersion)}`);
    for (const path of Object.keys(known)) this.#checkFields(path);
    if (this.#object("spec") === undefined) this.#fail("spec", "is required");
    const next = (this.#object("spec.next") ?? {}) as StageNext;
    const { statusTemplate, ...rest } = next;
    for (const list of ["add", "remove"]) this.#finalizers(`spec.next.finalizers.${list}`);
    return {
      name: this.#text("metadata.name") ?? this.#fail("metadata.name", "is required"),
      apiVersion: this.#text("spec.resourceRef.apiGroup") ?? "v1",
      kind: this.#text("spec.resourceRef.kind") ?? this.#fail("spec.resourceRef.kind", "is required"),
      matches: this.#selector(),
      weight: this.#number("spec.weight") ?? 0,
      weightFrom: this.#expression("spec.weightFrom"),
      delayMs: this.#number("spec.delay.durationMilliseconds") ?? 0,
      delayFrom: this.#expression("spec.delay.durationFrom"),
      longestMs: this.#number("spec.delay.jitterDurationMilliseconds"),
      longestFrom: this.#expression("spec.delay.jitterDurationFrom"),
      next: rest,
      template: statusTemplate === undefined ? undefined : this.#template("spec.next.statusTemplate"),
    };
  }

  #fail(path: string, problem: string): never {
    throw new ConfigError(`${this.#where}: ${path === "" ? "" : `${path} `}${problem}`);
  }

  #value(path: string): unknown {
    const fields = path === "" ? [] : path.split(".");
    return fields.reduce((value, field) => (value as Record<string, unknown> | undefined)?.[field], this.#stage);
  }

  #object(path: string): Record<string, unknown> | undefined {
    const value = this.#value(path) ?? undefined;
    if (value !== undefined && (typeof value !== "object" || Array.isArray(value)))
      this.#fail(path, "must be an object");
    return value as Record<string, unknown> | undefined;
  }

  #text(path: string): string | undefined {
    const value = this.#value(path);
    if (value !== undefined && (typeof value !== "string" || value === ""))
      this.#fail(path, "must be a non-empty string");
    return value;
  }

  #number(path: string): number | undefined {
    const value = this.#value(path);
    if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) >= 0))
      this.#fail(path, "must be a non-negative integer");
    return value as number | undefined;
  }

  #checkFields(path: string): void {
    const unknown = Object.keys(this.#object(path) ?? {}).find((field) => !known[path]!.includes(field));
    if (unknown !== undefined)
      this.#fail(`${path}.${unknown}`, `is not supported. Supported fields: ${known[path]!.join(", ")}`);
  }

  #finalizers(path: string): void {
    const list = this.#value(path);
    const isValid = (item: unknown): boolean => typeof (item as { value?: unknown } | null)?.value === "string";
    if (list !== undefined && !(Array.isArray(list) && list.every(isValid)))
      this.#fail(path, 'must be a list of objects such as { value: "example.com/finalizer" }');
  }

  #compile(path: string, text: string): Expression {
    try {
      return compileExpression(text);
    } catch (error) {
      return this.#fail(`${path}:`, (error as Error).message);
    }
  }

  #expression(path: string): Expression | undefined {
    const object = this.#object(path);
    if (object === undefined) return undefined;
    const other = Object.keys(object).find((field) => field !== "expressionFrom");
    if (other !== undefined) this.#fail(`${path}.${other}`, "is not supported: use expressionFrom");
    const text = this.#text(`${path}.expressionFrom`) ?? this.#fail(`${path}.expressionFrom`, "is required");
    return this.#compile(`${path}.expressionFrom`, text);
  }

  #template(path: string): readonly TemplateNode[] {
    const names = new Set<string>([...objectFunctions, ...Object.keys(generalFunctions)]);
    try {
      return parseTemplate(this.#text(path) ?? "", (name) => names.has(name));
    } catch (error) {
      return this.#fail(`${path}:`, (error as Error).message);
    }
  }

  #selector(): CompiledStage["matches"] {
    if (this.#object("spec.selector") === undefined) return () => false;
    const tests = [
      ...this.#pairs("matchLabels", "labels"),
      ...this.#pairs("matchAnnotations", "annotations"),
      ...this.#expressions(),
    ];
    return (object) => tests.every((test) => test(object));
  }

  #pairs(field: string, part: "labels" | "annotations"): CompiledStage["matches"][] {
    return Object.entries(this.#object(`spec.selector.${field}`) ?? {}).map(([key, value]) => (object) => {
      const { metadata } = object as { metadata?: Readonly<Record<string, Readonly<Record<string, string>>>> };
      return metadata?.[part]?.[key] === value;
    });
  }

  #expressions(): CompiledStage["matches"][] {
    const path = "spec.selector.matchExpressions";
    const list = this.#value(path) ?? [];
    if (!Array.isArray(list)) return this.#fail(path, "must be a list");
    return list.map((each: unknown, index) => {
      const { key, operator, values = [], ...others } = (each ?? {}) as Record<string, unknown>;
      const here = `${path}[${index}]`;
      const [other] = Object.keys(others);
      if (other !== undefined) this.#fail(`${here}.${other}`, "is not supported: use key, operator and values");
      if (typeof key !== "string") return this.#fail(`${here}.key`, "is required");
      if (!Array.isArray(values)) return this.#fail(`${here}.values`, "must be a list");
      const select = this.#compile(`${here}.key`, key);
      const wanted = new Set(values.map(String));
      const hasOne = (object: unknown): boolean => select(object).some((value) => wanted.has(asText(value)));
      switch (operator) {
        case "In":
          return hasOne;
        case "NotIn":
          return (object) => !hasOne(object);
        case "Exists":
          return (object) => select(object).length > 0;
        case "DoesNotExist":
          return (object) => select(object).length === 0;
        default:
          return this.#fail(`${here}.operator`, "must be In, NotIn, Exists or DoesNotExist");
      }
    });
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
