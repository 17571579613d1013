import { badRequest } from "../errors/status.js";
import { authenticated } from "../filters/authentication.js";
import type { ServerResponse } from "../http/http.js";
import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime } from "../objects/metadata.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { ServedResource } from "../registry/resources.js";
import { respondObject } from "../wire/respond.js";
import { accessReview, subjectOf } from "./access-review.js";
import { admitRequest } from "./admit-request.js";
import { readPosted, settlePosted, trackPosted } from "./posted-body.js";
import type { ReviewName } from "./review-names.js";
import type { HandlerContext } from "./services.js";

/** Data that reviews are evaluated with. */
interface ReviewContext {
  readonly user: UserInfo;
  readonly authorizer: Authorizer;
  readonly authentication: HandlerContext["services"]["authentication"];
  /** Namespace from the path. */
  readonly namespace: string;
  readonly nowMs: number;
}

/** Evaluates a review and returns it with its status. Nothing is stored. */
type Review = (review: ApiObject, context: ReviewContext) => ApiObject | Promise<ApiObject>;

/** Reviews by name. */
const reviews: Readonly<Record<ReviewName, Review>> = {
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

/** Handles POST of a review. */
export async function handleReview(
  context: HandlerContext,
  resource: ServedResource,
  name: ReviewName,
): Promise<ServerResponse> {
  const { services, info, user, nowMs } = context;
  const { object: review, options, negotiated } = await readPosted(context, resource);
  settlePosted(review, resource, info.namespace);
  const { dryRun, manager, raw } = options;
  await trackPosted(context, { resource, subresource: "", object: review, manager, nowMs });
  const request = { operation: "CREATE", resource, object: review, dryRun, options: raw } as const;
  await admitRequest(context, request, () => undefined);
  const answer = await reviews[name](review, {
    user,
    nowMs,
    namespace: info.namespace,
    authorizer: services.authorizer,
    authentication: services.authentication,
  });
  return respondObject(context, { resource, negotiated }, answer, 201);
}

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
    ...(user.name === "" ? {} : { username: user.name }),
    ...(user.uid === "" ? {} : { uid: user.uid }),
    ...(user.groups.length === 0 ? {} : { groups: user.groups }),
    ...extra,
  };
}

async function tokenReview(review: ApiObject, { authentication }: ReviewContext): Promise<ApiObject> {
  const spec = review["spec"] as { token?: string; audiences?: readonly string[] } | undefined;
  const token = spec?.token ?? "";
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const wanted = spec?.audiences ?? [];
  const outcome = await authentication.token(token, wanted.length === 0 ? authentication.audiences : wanted);
  // What the review already says about the user stays if the token isn't valid.
  const { authenticated: _, ...given } = (review["status"] ?? {}) as Readonly<Record<string, unknown>>;
  const status =
    "user" in outcome
      ? { authenticated: true, user: userText(authenticated(outcome.user)), audiences: outcome.audiences }
      : { error: problemText(outcome.problems) };
  return { ...review, status: { user: {}, ...given, ...status } };
}

function problemText(problems: readonly string[]): string {
  const invalid = "invalid bearer token";
  return problems.length === 0 ? invalid : `[${[invalid, ...problems].join(", ")}]`;
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
