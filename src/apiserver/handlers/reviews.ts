import type { CheckedToken, ServiceAccountTokens } from "../authentication/service-account-tokens.js";
import { badRequest } from "../errors/status.js";
import { authenticated, findUser } from "../filters/authentication.js";
import type { ServerResponse } from "../http/http.js";
import type { TokenAuthenticator, UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime } from "../objects/metadata.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { ServedResource } from "../registry/resources.js";
import { respondObject } from "../wire/respond.js";
import { accessReview, subjectOf } from "./access-review.js";
import { readPosted } from "./posted-body.js";
import type { HandlerContext } from "./services.js";
import { checkNamespace } from "./write.js";

/** Data that reviews are evaluated with. */
interface ReviewContext {
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly tokens: readonly TokenAuthenticator[];
  readonly serviceAccounts: ServiceAccountTokens;
  /** Audiences of the API server itself. */
  readonly audiences: readonly string[];
  /** Namespace from the path. */
  readonly namespace: string;
  readonly nowMs: number;
}

/** Evaluates a review and returns it with its status. Nothing is stored. */
type Review = (review: ApiObject, context: ReviewContext) => ApiObject | Promise<ApiObject>;

/** Reviews by `group/resource`. */
const reviews: Readonly<Record<string, Review>> = {
  "authentication.k8s.io/tokenreviews": tokenReview,
  "authentication.k8s.io/selfsubjectreviews": selfSubjectReview,
  "authorization.k8s.io/subjectaccessreviews": (review, context) =>
    accessReview(review, context, subjectOf(review), "any"),
  "authorization.k8s.io/selfsubjectaccessreviews": (review, context) =>
    accessReview(review, context, context.user, "self"),
  "authorization.k8s.io/localsubjectaccessreviews": (review, context) =>
    accessReview(review, context, subjectOf(review), "local"),
  "authorization.k8s.io/selfsubjectrulesreviews": selfSubjectRulesReview,
};

/** True if a resource is a review, which can be created but is never stored. */
export function isReview(resource: ServedResource): boolean {
  return Object.hasOwn(reviews, resource.bucket);
}

/** Handles POST of a review. */
export async function handleReview(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { services, info, user, nowMs } = context;
  const { object: review, options, negotiated } = await readPosted(context, resource);
  checkNamespace(review, resource, info.namespace);
  await services.fieldManagement.update({
    resource,
    live: undefined,
    object: review,
    manager: options.manager,
    subresource: "",
    nowMs,
  });
  const answer = await reviews[resource.bucket]!(review, {
    user,
    nowMs,
    namespace: info.namespace,
    authorizer: services.authorizer,
    tokens: services.tokens,
    serviceAccounts: services.serviceAccounts,
    audiences: [ISSUER],
  });
  return respondObject(context, { resource, negotiated }, answer, 201);
}

/** Issuer of service account tokens and audience of the API server. */
const ISSUER = "https://kubernetes.default.svc";

function selfSubjectRulesReview(review: ApiObject, { user, authorizer }: ReviewContext): ApiObject {
  const namespace = (review["spec"] as { namespace?: string } | undefined)?.namespace ?? "";
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, error, incomplete = false } = authorizer.rulesFor(user, namespace);
  const filled = (values: readonly string[] | undefined): boolean => values !== undefined && values.length > 0;
  return {
    kind: review.kind!,
    apiVersion: review.apiVersion!,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules
        .filter((rule) => filled(rule.resources))
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          verbs,
          ...(filled(apiGroups) ? { apiGroups } : {}),
          resources,
          ...(filled(resourceNames) ? { resourceNames } : {}),
        })),
      nonResourceRules: rules
        .filter((rule) => filled(rule.nonResourceURLs))
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete,
      ...(error === undefined ? {} : { evaluationError: error }),
    },
  };
}

function userText(user: UserInfo): Record<string, unknown> {
  const extra = Object.keys(user.extra).length === 0 ? {} : { extra: user.extra };
  return {
    username: user.name,
    ...(user.uid === "" ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...extra,
  };
}

function accountStatus(checked: CheckedToken): Record<string, unknown> {
  if ("problem" in checked) return { user: {}, error: `[invalid bearer token, ${checked.problem}]` };
  return { authenticated: true, user: userText(authenticated(checked.user)), audiences: checked.audiences };
}

async function tokenReview(
  review: ApiObject,
  { tokens, audiences, serviceAccounts }: ReviewContext,
): Promise<ApiObject> {
  const spec = review["spec"] as { token?: string; audiences?: readonly string[] } | undefined;
  const token = spec?.token ?? "";
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const requestedAudiences = spec?.audiences ?? [];
  const checked = await serviceAccounts.check(token, requestedAudiences.length === 0 ? audiences : requestedAudiences);
  if (checked !== undefined) return { ...review, status: accountStatus(checked) };
  const common =
    requestedAudiences.length === 0 ? audiences : requestedAudiences.filter((audience) => audiences.includes(audience));
  const user = common.length === 0 ? undefined : await findUser(token, tokens);
  const status =
    user === undefined
      ? { user: {}, error: "invalid bearer token" }
      : { authenticated: true, user: userText(user), audiences: common };
  return { ...review, status };
}

function selfSubjectReview(review: ApiObject, { user, nowMs }: ReviewContext): ApiObject {
  const creationTimestamp = formatTime(nowMs);
  return {
    kind: review.kind!,
    apiVersion: review.apiVersion!,
    metadata: { creationTimestamp },
    status: { userInfo: userText(user) },
  };
}
