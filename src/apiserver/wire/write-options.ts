import { pushAll } from "../../internal/push-all.js";
import type { FieldError } from "../errors/field-error.js";
import { forbiddenField, invalidField, requiredField, unsupportedField } from "../errors/field-error.js";
import { throwInvalid } from "../errors/status.js";
import { booleanParameter } from "../http/request-info.js";
import type { FieldValidation } from "../registry/resources.js";
import type { WireContext } from "./services.js";

/** Options of create, update and patch from the query. */
export interface ParsedWriteOptions {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean | undefined;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Returns the errors of a `dryRun` value. */
export function dryRunErrors(values: readonly unknown[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  return [unsupportedField("dryRun", values, ["All"])];
}

const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (manager.length > 128)
    errors.push({ type: "FieldValueTooLong", field: "fieldManager", detail: "may not be more than 128 bytes" });
  if (unprintable.test(manager))
    errors.push(invalidField("fieldManager", manager, "may not hold unprintable characters"));
  return errors;
}

/** User-Agent of the last request, and the field manager for it. Most requests have the same one as those before. */
let lastAgent: string | undefined;
let lastManager = "unknown";

/** Returns the default field manager for a User-Agent. */
export function managerFromAgent(agent: string | undefined): string {
  if (agent === lastAgent) return lastManager;
  const manager = parseAgent(agent ?? "");
  lastAgent = agent;
  lastManager = manager;
  return manager;
}

function parseAgent(agent: string): string {
  const name = agent.split("/")[0]!;
  const printable = [...name].filter((char) => !/\p{C}/u.test(char)).join("");
  return printable === "" ? "unknown" : printable.slice(0, 128);
}

/** Parses and validates the options. `patch` is the patch type. Throws 422. */
export function parseWriteOptions(
  context: WireContext,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  patch?: "apply" | "other",
): ParsedWriteOptions {
  const { query } = context;
  const manager = query.get("fieldManager") ?? "";
  const errors: FieldError[] = [];
  const force = query.has("force") ? booleanParameter(query.get("force")) : undefined;
  if (patch === "apply" && manager === "") errors.push(requiredField("fieldManager", "is required for apply patch"));
  if (patch === "other" && force !== undefined)
    errors.push(forbiddenField("force", "may not be specified for non-apply patch"));
  pushAll(errors, managerErrors(manager));
  const dryRun = query.getAll("dryRun");
  pushAll(errors, dryRunErrors(dryRun));
  const validation = query.get("fieldValidation") ?? "";
  if (validation !== "" && validation !== "Ignore" && validation !== "Warn" && validation !== "Strict") {
    errors.push(unsupportedField("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  }
  throwInvalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    manager: manager === "" ? managerFromAgent(context.request.header("user-agent")) : manager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
    force,
    raw: {
      kind,
      apiVersion: "meta.k8s.io/v1",
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(manager === "" ? {} : { fieldManager: manager }),
      ...(validation === "" ? {} : { fieldValidation: validation }),
      ...(force === undefined ? {} : { force }),
    },
  };
}
