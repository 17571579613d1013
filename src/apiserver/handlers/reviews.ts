import { authenticated, findUser } from "../filters/authentication.js";
import type { TokenAuthenticator, UserInfo } from "../user-info.js";
import type { RequestContext } from "../core.js";
import type { ServerResponse } from "../http.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { resourceAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { ServiceAccountTokens } from "../registry/service-account-tokens.js";
import { formatTime } from "../registry/metadata.js";
import type { ServedResource } from "../registry/resources.js";
import type { ApiObject } from "../registry/strategy.js";
import { negotiateFor, offerOf, respondObject } from "../respond.js";
import type { FieldError } from "../schema/field-error.js";
import { badRequest, throwInvalid } from "../status.js";
import { decodeFor, readBody, requestEncoding } from "./body.js";
import { parseWriteOptions } from "./write-options.js";
import { checkNamespace, inputsOf } from "./write.js";

/** What reviews are answered from. */
interface ReviewContext {
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly tokens: readonly TokenAuthenticator[];
  readonly serviceAccounts: ServiceAccountTokens;
  /** Audiences of the API server itself. */
  readonly audiences: readonly string[];
  /** Namespace of the request's path. */
  readonly namespace: string;
  readonly nowMs: number;
}

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly unknown[];
}

interface ResourceAttributes {
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
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

/** Answers a review: fills in the status of what was sent. Nothing is stored. */
type Review = (review: ApiObject, context: ReviewContext) => ApiObject | Promise<ApiObject>;

/** The reviews by `group/resource`. */
const reviews: Readonly<Record<string, Review>> = {
  "authentication.k8s.io/tokenreviews": tokenReview,
  "authentication.k8s.io/selfsubjectreviews": selfSubjectReview,
  "authorization.k8s.io/subjectaccessreviews": (review, context) => accessReview(review, context, subjectOf(specOf(review)), "any"),
  "authorization.k8s.io/selfsubjectaccessreviews": (review, context) => accessReview(review, context, context.user, "self"),
  "authorization.k8s.io/localsubjectaccessreviews": (review, context) => accessReview(review, context, subjectOf(specOf(review)), "local"),
  "authorization.k8s.io/selfsubjectrulesreviews": selfSubjectRulesReview,
};

/** Whether a resource is a review: it can be created, is answered, and never stored. */
export function isReview(resource: ServedResource): boolean {
  return Object.hasOwn(reviews, resource.bucket);
}

/** POST of a review. */
export async function handleReview(context: RequestContext, resource: ServedResource): Promise<ServerResponse> {
  const { core, info, user, nowMs } = context;
  const offer = { ...offerOf(resource, false), transforms: false };
  const negotiated = negotiateFor(context, resource, offer);
  const encoding = requestEncoding(context.request.header("content-type"), inputsOf(resource));
  const body = await readBody(context);
  const options = parseWriteOptions(context, "CreateOptions");
  const review = decodeFor(context, resource, body, encoding, options.fieldValidation);
  checkNamespace(review, resource, info.namespace);
  await core.fieldManagement?.update({ resource, live: undefined, object: review, manager: options.manager, subresource: "", nowMs });
  const answer = await reviews[resource.bucket]!(review, { user, nowMs, namespace: info.namespace, authorizer: core.authorizer, tokens: core.tokens, serviceAccounts: core.serviceAccounts, audiences: [ISSUER] });
  return respondObject(context, negotiated, resource, answer, 201);
}

/** Issuer of service account tokens, and the audience of the API server. */
const ISSUER = "https://kubernetes.default.svc";

function specOf(review: ApiObject): AccessReviewSpec {
  return (review["spec"] as AccessReviewSpec | undefined) ?? {};
}

function subjectOf(spec: AccessReviewSpec): UserInfo {
  return { name: spec.user ?? "", uid: spec.uid ?? "", groups: spec.groups ?? [], extra: spec.extra ?? {} };
}

function accessReview(review: ApiObject, context: ReviewContext, user: UserInfo, form: "self" | "any" | "local"): ApiObject {
  const spec = specOf(review);
  // The kind stands in the Status without its name: the object is checked before its type is filled in.
  throwInvalid({ group: "authorization.k8s.io", kind: "" }, "", accessReviewErrors(review, spec, form));
  if (form === "local" && context.namespace !== review.metadata?.namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${context.namespace}`);
  }
  const decision = context.authorizer.authorize(askedBy(user, spec));
  return { ...review, status: { allowed: decision.allowed, ...(decision.reason === "" ? {} : { reason: decision.reason }) } };
}

function askedBy(user: UserInfo, spec: AccessReviewSpec): AuthorizationAttributes {
  const resource = spec.resourceAttributes;
  if (resource) return resourceAttributes(user, resource.verb ?? "", { ...resource, resource: resource.resource ?? "" });
  const path = spec.nonResourceAttributes;
  return {
    user, verb: path?.verb ?? "", path: path?.path ?? "", isResource: false,
    group: "", version: "", namespace: "", resource: "", subresource: "", name: "",
  };
}

function accessReviewErrors(review: ApiObject, spec: AccessReviewSpec, form: "self" | "any" | "local"): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (field: string, value: unknown, detail: string): void => {
    errors.push({ type: "FieldValueInvalid", field, value, detail });
  };
  for (const name of ["fieldSelector", "labelSelector"] as const) {
    const selector = spec.resourceAttributes?.[name];
    if ((selector?.rawSelector ?? "") !== "" && (selector?.requirements ?? []).length > 0) invalid(`spec.resourceAttributes.${name}.rawSelector`, selector!.rawSelector, "may not specified at the same time as requirements");
  }
  const path = spec.nonResourceAttributes;
  const shown = path ? { Path: path.path ?? "", Verb: path.verb ?? "" } : null;
  if (spec.resourceAttributes && path) invalid("spec.nonResourceAttributes", shown, "cannot be specified in combination with resourceAttributes");
  if (!spec.resourceAttributes && !path) invalid("spec.resourceAttributes", null, "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  if (form !== "self" && (spec.user ?? "") === "" && (spec.groups ?? []).length === 0) invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified");
  const { managedFields: _managed, namespace, ...metadata } = review.metadata ?? {};
  const rest = form === "local" ? metadata : { ...metadata, ...(namespace === undefined || namespace === "" ? {} : { namespace }) };
  const filled = Object.values(rest).some((value) => value !== null && value !== undefined && value !== "");
  if (filled) invalid("metadata", review.metadata, form === "local" ? "must be empty except for namespace" : "must be empty");
  if (form === "local") {
    if (spec.resourceAttributes && (spec.resourceAttributes.namespace ?? "") !== (namespace ?? "")) {
      invalid("spec.resourceAttributes.namespace", spec.resourceAttributes.namespace ?? "", "must match metadata.namespace");
    }
    if (path) invalid("spec.nonResourceAttributes", shown, "disallowed on this kind of request");
  }
  return errors;
}

function selfSubjectRulesReview(review: ApiObject, { user, authorizer }: ReviewContext): ApiObject {
  const namespace = (review["spec"] as { namespace?: string } | undefined)?.namespace ?? "";
  if (namespace === "") throw badRequest("no namespace on request");
  const rules = authorizer.rulesFor(user, namespace);
  const filled = (values: readonly string[] | undefined): boolean => values !== undefined && values.length > 0;
  return {
    kind: review.kind!,
    apiVersion: review.apiVersion!,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => filled(rule.resources)).map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs, apiGroups: apiGroups ?? [], resources, ...(filled(resourceNames) ? { resourceNames } : {}),
      })),
      nonResourceRules: rules.filter((rule) => filled(rule.nonResourceURLs)).map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
    },
  };
}

function userText(user: UserInfo): Record<string, unknown> {
  const extra = Object.keys(user.extra).length === 0 ? {} : { extra: user.extra };
  return { username: user.name, ...(user.uid === "" ? {} : { uid: user.uid }), ...(user.groups.length === 0 ? {} : { groups: user.groups }), ...extra };
}

function accountStatus(token: string, own: readonly string[], wanted: readonly string[], serviceAccounts: ServiceAccountTokens): Record<string, unknown> {
  const user = serviceAccounts.find(token, wanted);
  const quoted = (list: readonly string[]): string => `[${list.map((each) => JSON.stringify(each)).join(" ")}]`;
  if (user === undefined) return { user: {}, error: `[invalid bearer token, token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}]` };
  return { authenticated: true, user: userText(authenticated(user)), audiences: wanted.filter((audience) => own.includes(audience)) };
}

async function tokenReview(review: ApiObject, { tokens, audiences, serviceAccounts }: ReviewContext): Promise<ApiObject> {
  const spec = review["spec"] as { token?: string; audiences?: readonly string[] } | undefined;
  const token = spec?.token ?? "";
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const asked = spec?.audiences ?? [];
  const own = serviceAccounts.audiencesOf(token);
  if (own !== undefined) return { ...review, status: accountStatus(token, own, asked.length === 0 ? audiences : asked, serviceAccounts) };
  const common = asked.length === 0 ? audiences : asked.filter((audience) => audiences.includes(audience));
  const user = common.length === 0 ? undefined : await findUser(token, tokens);
  const status = user === undefined ? { user: {}, error: "invalid bearer token" } : { authenticated: true, user: userText(user), audiences: common };
  return { ...review, status };
}

function selfSubjectReview(review: ApiObject, { user, nowMs }: ReviewContext): ApiObject {
  const creationTimestamp = formatTime(nowMs);
  return { kind: review.kind!, apiVersion: review.apiVersion!, metadata: { creationTimestamp }, status: { userInfo: userText(user) } };
}
