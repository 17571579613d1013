import { pushAll } from "../../internal/push-all.js";
import type { FieldError } from "../errors/field-error.js";
import { invalidField } from "../errors/field-error.js";
import { ApiFailure, badRequest, throwInvalid } from "../errors/status.js";
import type { UserInfo } from "../http/user-info.js";
import * as check from "../kinds/shared/checks.js";
import { forbidden, invalid as invalidValue, required } from "../kinds/shared/field-errors.js";
import type { ApiObject } from "../objects/api-object.js";
import type { Selector } from "../objects/selectors.js";
import { labelValueErrors, parseFieldSelector, parseLabelSelector } from "../objects/selectors.js";
import type { AuthorizationAttributes, SelectorRequirement } from "../rbac/attributes.js";
import { requirementsOf, resourceAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[] | null;
}

type SelectorName = "fieldSelector" | "labelSelector";

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly Requirement[] | null;
}

interface ResourceAttributes {
  readonly fieldSelector?: SelectorAttributes | null;
  readonly labelSelector?: SelectorAttributes | null;
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
}

interface AccessReviewSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: ResourceAttributes | null;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string } | null;
}

function specOf(review: ApiObject): AccessReviewSpec {
  return (review["spec"] as AccessReviewSpec | undefined) ?? {};
}

/** Returns the user that an access review asks about. */
export function subjectOf(review: ApiObject): UserInfo {
  const spec = specOf(review);
  return { name: spec.user ?? "", uid: spec.uid ?? "", groups: spec.groups ?? [], extra: spec.extra ?? {} };
}

/** Evaluates an access review. Throws 422, and 400 for a local review of another namespace. */
export async function accessReview(
  review: ApiObject,
  context: { readonly authorizer: Authorizer; readonly namespace: string },
  user: UserInfo,
  form: "self" | "any" | "local",
): Promise<ApiObject> {
  const spec = specOf(review);
  // The Status has no kind, because the object is validated before its type is filled in.
  throwInvalid({ group: "authorization.k8s.io", kind: "" }, "", accessReviewErrors(review, spec, form));
  if (form === "local" && context.namespace !== review.metadata?.namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${context.namespace}`);
  }
  const decision = await context.authorizer.authorize(askedBy(user, spec));
  const evaluationError = [selectorProblems(spec.resourceAttributes ?? {}), decision.error ?? ""]
    .filter((text) => text !== "")
    .join("; ");
  return {
    ...review,
    status: {
      allowed: decision.allowed,
      ...(decision.denied === true ? { denied: true } : {}),
      ...(decision.reason === "" ? {} : { reason: decision.reason }),
      ...(evaluationError === "" ? {} : { evaluationError }),
    },
  };
}

function askedBy(user: UserInfo, spec: AccessReviewSpec): AuthorizationAttributes {
  const resource = spec.resourceAttributes;
  if (resource)
    return resourceAttributes(user, resource.verb ?? "", {
      ...resource,
      resource: resource.resource ?? "",
      labelSelector: requirements(resource.labelSelector, parseLabelSelector),
      fieldSelector: requirements(resource.fieldSelector, (text) => parseFieldSelector(text, () => undefined)),
    });
  const path = spec.nonResourceAttributes;
  return {
    user,
    verb: path?.verb ?? "",
    path: path?.path ?? "",
    isResource: false,
    group: "",
    version: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
  };
}

/** Returns the requirements of a selector, without those that can't be parsed. */
function requirements(
  selector: SelectorAttributes | null | undefined,
  parse: (text: string) => Selector,
): SelectorRequirement[] | undefined {
  if (!selector) return undefined;
  if ((selector.rawSelector ?? "") !== "") return requirementsOf(() => parse(selector.rawSelector!));
  return (selector.requirements ?? [])
    .filter(({ operator = "" }) => ofMany.includes(operator) || ofNone.includes(operator))
    .map(({ key = "", operator = "", values }) => ({ key, operator, ...(values && { values }) }));
}

function accessReviewErrors(review: ApiObject, spec: AccessReviewSpec, form: "self" | "any" | "local"): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (field: string, value: unknown, detail: string): void => {
    errors.push(invalidField(field, value, detail));
  };
  const path = spec.nonResourceAttributes;
  const shown = path ? { Path: path.path ?? "", Verb: path.verb ?? "" } : null;
  if (spec.resourceAttributes && path)
    invalid("spec.nonResourceAttributes", shown, "cannot be specified in combination with resourceAttributes");
  if (!spec.resourceAttributes && !path)
    invalid(
      "spec.resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
  if (form !== "self" && (spec.user ?? "") === "" && (spec.groups ?? []).length === 0)
    invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified");
  for (const name of ["fieldSelector", "labelSelector"] as const)
    pushAll(errors, selectorErrors(spec.resourceAttributes?.[name], `spec.resourceAttributes.${name}`, name));
  const { managedFields: _managed, namespace, ...metadata } = review.metadata ?? {};
  const rest =
    form === "local"
      ? metadata
      : { ...metadata, ...(namespace === undefined || namespace === "" ? {} : { namespace }) };
  const filled = Object.values(rest).some((value) => value !== null && value !== undefined && value !== "");
  if (filled)
    invalid("metadata", review.metadata, form === "local" ? "must be empty except for namespace" : "must be empty");
  if (form === "local") {
    if (spec.resourceAttributes && (spec.resourceAttributes.namespace ?? "") !== (namespace ?? "")) {
      invalid(
        "spec.resourceAttributes.namespace",
        spec.resourceAttributes.namespace ?? "",
        "must match metadata.namespace",
      );
    }
    if (path) invalid("spec.nonResourceAttributes", shown, "disallowed on this kind of request");
  }
  return errors;
}

const ofMany = ["In", "NotIn"];
const ofNone = ["Exists", "DoesNotExist"];

/** Returns the errors of a selector. Unknown operators are accepted, because newer clients may send them. */
function selectorErrors(selector: SelectorAttributes | null | undefined, at: string, name: SelectorName): FieldError[] {
  if (!selector) return [];
  const raw = selector.rawSelector ?? "";
  const requirements = selector.requirements ?? [];
  const errors: FieldError[] = [];
  if (raw !== "" && requirements.length > 0)
    errors.push(invalidValue(`${at}.rawSelector`, raw, "may not specified at the same time as requirements"));
  if (raw === "" && requirements.length === 0)
    errors.push(required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`));
  const found = check.eachItem(requirements, `${at}.requirements`, (each, path) => requirementErrors(each, path, name));
  pushAll(errors, found);
  return errors;
}

function requirementErrors(
  { key = "", operator = "", values }: Requirement,
  path: string,
  name: SelectorName,
): FieldError[] {
  const given = values ?? [];
  const errors: FieldError[] = [];
  if (name === "fieldSelector" && key === "") errors.push(required(`${path}.key`, "must be specified"));
  if (ofMany.includes(operator) && given.length === 0)
    errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  if (ofNone.includes(operator) && given.length > 0)
    errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  if (name === "fieldSelector") return errors;
  pushAll(errors, check.qualifiedName(`${path}.key`, key));
  const wrong = check.eachItem(given, `${path}.values`, (value, at) =>
    labelValueErrors(value).map((detail) => invalidValue(at, value, detail)),
  );
  pushAll(errors, wrong);
  return errors;
}

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof ApiFailure) return false;
    throw error;
  }
}

/** Returns how many requirements of a selector are understoodRequirements, and whether all are. */
function understoodRequirements(
  selector: SelectorAttributes,
  name: SelectorName,
): { readonly some: boolean; readonly all: boolean } {
  const raw = selector.rawSelector ?? "";
  if (raw !== "") {
    const all = parses(() =>
      name === "fieldSelector" ? parseFieldSelector(raw, () => undefined) : parseLabelSelector(raw),
    );
    return { some: all, all };
  }
  const requirements = selector.requirements ?? [];
  const known = requirements.filter(({ operator = "", values }) =>
    name === "fieldSelector"
      ? ofMany.includes(operator) && values?.length === 1
      : ofMany.includes(operator) || ofNone.includes(operator),
  );
  return { some: known.length > 0, all: known.length === requirements.length };
}

/** Returns the text about selectors that were ignored. */
function selectorProblems(attributes: ResourceAttributes): string {
  return (["fieldSelector", "labelSelector"] as const)
    .flatMap((name) => {
      const selector = attributes[name];
      if (!selector) return [];
      const { some, all } = understoodRequirements(selector, name);
      return all ? [] : [`spec.resourceAttributes.${name} ${some ? "partially " : ""}ignored due to parse error`];
    })
    .join("; ");
}
