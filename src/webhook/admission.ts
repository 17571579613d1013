import { ProtocolError } from "../errors/errors.js";
import { base64Encode } from "../internal/base64.js";
import { utf8Encode } from "../internal/bytes.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { Status } from "../meta/status.js";
import { createJsonPatch } from "../patch/create-json-patch.js";
import { type ReviewRequest, readReviewRequest } from "./review.js";

/** Group, version and kind of an object. */
export interface GroupVersionKind {
  /** API group; `""` for the core group. */
  group: string;
  /** API version, such as `v1`. */
  version: string;
  /** Name of the kind, such as `Deployment`. */
  kind: string;
}

/** Group, version and resource of a request. */
export interface GroupVersionResource {
  /** API group; `""` for the core group. */
  group: string;
  /** API version, such as `v1`. */
  version: string;
  /** Plural name of the resource in URLs, such as `deployments`. */
  resource: string;
}

/** User who sent the request under review. */
export interface AdmissionUser {
  /** Name of the user. */
  username?: string | undefined;
  /** Identifier that stays the same if the name changes. */
  uid?: string | undefined;
  /** Names of the user's groups. */
  groups?: string[] | undefined;
  /** Additional information from the authenticator. */
  extra?: Record<string, string[]> | undefined;
}

/** Fields that every admission request has. */
export interface AdmissionAttributes {
  /** Identifier of this review, copied to the response. */
  uid: string;
  /** Kind of the object, in the version that the webhook receives. */
  kind: GroupVersionKind;
  /** Resource, in the version that the webhook receives. */
  resource: GroupVersionResource;
  /** Name of the subresource, such as `status`. */
  subResource?: string | undefined;
  /** Kind in the original request, which differs from `kind` if the server converted the object for the webhook. */
  requestKind?: GroupVersionKind | undefined;
  /** Resource in the original request. */
  requestResource?: GroupVersionResource | undefined;
  /** Subresource in the original request. */
  requestSubResource?: string | undefined;
  /** Name of the object; absent if the server has yet to generate it. */
  name?: string | undefined;
  /** Namespace of the object; absent for cluster-scoped objects. */
  namespace?: string | undefined;
  /** User who sent the request. */
  userInfo: AdmissionUser;
  /** True for a dry run: the webhook must have no side effects then. */
  dryRun?: boolean | undefined;
  /** Options of the operation, such as a `CreateOptions` object. */
  options?: Record<string, unknown> | null | undefined;
}

/** Admission request. `operation` determines which of `object` and `oldObject` are set. */
export type AdmissionRequest<T = KubernetesObject> = AdmissionAttributes &
  (
    | { operation: "CREATE"; object: T; oldObject?: null | undefined }
    | { operation: "UPDATE"; object: T; oldObject: T }
    | { operation: "DELETE"; object?: null | undefined; oldObject: T }
    | { operation: "CONNECT"; object: T; oldObject?: null | undefined }
  );

/** Response of an admission webhook, in wire format. */
export interface AdmissionResponse {
  /** The `uid` of the request. */
  uid: string;
  /** True to admit the request. */
  allowed: boolean;
  /** Reason for the denial. */
  status?: Status | undefined;
  /** JSON Patch for the object, base64-encoded. */
  patch?: string | undefined;
  /** Format of the patch. */
  patchType?: "JSONPatch" | undefined;
  /** Annotations for the audit event. */
  auditAnnotations?: Record<string, string> | undefined;
  /** Warnings for the client, at most 256 characters each. */
  warnings?: string[] | undefined;
}

/**
 * Object that the API server exchanges with an admission webhook: it sends the request and expects the response.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export interface AdmissionReview<T = KubernetesObject> {
  /** `admission.k8s.io/v1` or `admission.k8s.io/v1beta1`. */
  apiVersion: string;
  /** Always `AdmissionReview`. */
  kind: "AdmissionReview";
  /** Request from the API server. */
  request?: AdmissionRequest<T> | undefined;
  /** Response of the webhook. */
  response?: AdmissionResponse | undefined;
}

/** Warnings and audit annotations of an admission response. */
export interface AdmissionResponseExtras {
  /** Warnings for the client, at most 256 characters each. */
  readonly warnings?: readonly string[] | undefined;
  /** Annotations for the audit event. The server adds the webhook's name as their prefix. */
  readonly auditAnnotations?: Readonly<Record<string, string>> | undefined;
}

/** Decision that admits a request. */
export interface AllowedResponse<T = KubernetesObject> extends AdmissionResponseExtras {
  /** May be left out. */
  readonly allowed?: true | undefined;
  /** New version of the object, for a mutating webhook. Default: the object stays unchanged. */
  readonly object?: DeepReadonly<T> | undefined;
}

/** Decision that denies a request. */
export interface DeniedResponse extends AdmissionResponseExtras {
  /** Always false. */
  readonly allowed: false;
  /** Message for the user. */
  readonly message: string;
  /** HTTP status code for the user. Default 403. */
  readonly code?: number | undefined;
  /** Machine-readable reason. Default: `Forbidden` with the code 403, otherwise none. */
  readonly reason?: string | undefined;
}

/**
 * Decides one admission request. Returning `undefined` admits it unchanged. Any other value that isn't a decision is an
 * error, so that the `failurePolicy` of the webhook applies.
 */
export type AdmissionHandler<T = KubernetesObject> = (
  request: AdmissionRequest<T>,
) =>
  | AllowedResponse<T>
  | DeniedResponse
  | undefined
  | void
  | Promise<AllowedResponse<T> | DeniedResponse | undefined | void>;

/**
 * Handles an AdmissionReview and returns it with a response, for servers without the Fetch API; otherwise use
 * `admissionWebhook`. The handler returns a new object or changes the request's object in place and returns it; the
 * JSON Patch is computed from the difference. Rejects with a `ProtocolError` if `review` isn't an AdmissionReview, with
 * a `TypeError` if the handler returns an object for a request without one or anything but a decision, and with the handler's own errors.
 *
 * @example
 * ```ts
 * import { reviewAdmission } from "kubestream/webhook";
 * import type { ConfigMap } from "kubestream/kinds/core/v1";
 *
 * export function handle(body: string): Promise<object> {
 *   return reviewAdmission<ConfigMap>(JSON.parse(body), ({ operation, object }) =>
 *     operation === "UPDATE" && object?.data?.["owner"] === undefined
 *       ? { allowed: false, message: "data.owner is required" }
 *       : undefined,
 *   );
 * }
 * ```
 */
export async function reviewAdmission<T = KubernetesObject>(
  review: unknown,
  decide: AdmissionHandler<T>,
): Promise<AdmissionReview<T>> {
  const { apiVersion, request } = readAdmission<T>(review);
  // Keep a copy, because the handler may change the object in place.
  const before = copyOf(request.object);
  const { uid } = request;
  const decision = checkDecision(await decide(request));
  const { warnings, auditAnnotations } = decision;
  const notes = {
    ...(warnings && { warnings: [...warnings] }),
    ...(auditAnnotations && { auditAnnotations: { ...auditAnnotations } }),
  };
  const answer = (response: Omit<AdmissionResponse, "uid">): AdmissionReview<T> => ({
    apiVersion,
    kind: "AdmissionReview",
    response: { uid, ...response, ...notes },
  });
  if (decision.allowed === false) {
    const { message, code = 403, reason = code === 403 ? "Forbidden" : undefined } = decision;
    return answer({
      allowed: false,
      status: { status: "Failure", code, message, ...(reason !== undefined && { reason }) },
    });
  }
  if (decision.object === undefined) return answer({ allowed: true });
  if (before === undefined)
    throw new TypeError(
      `AdmissionReview: the handler returned an object, but a ${request.operation} request has none to change`,
    );
  const operations = await createJsonPatch<object>(before, decision.object as object, { guard: "none" });
  if (operations.length === 0) return answer({ allowed: true });
  return answer({ allowed: true, patchType: "JSONPatch", patch: base64Encode(utf8Encode(JSON.stringify(operations))) });
}

/** Copies an object. Throws a `ProtocolError` if it is too deep for the engine's stack, which no API server sends. */
function copyOf(object: unknown): object | undefined {
  try {
    return structuredClone(object ?? undefined);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProtocolError("AdmissionReview: the object is nested too deeply", { cause: error });
  }
}

const decisionFields = new Set(["allowed", "object", "message", "code", "reason", "warnings", "auditAnnotations"]);

/** Fails closed: a handler's slip such as `return false` or `{ allow: false }` must not admit the request. */
function checkDecision<T>(
  decision: AllowedResponse<T> | DeniedResponse | undefined | void,
): AllowedResponse<T> | DeniedResponse {
  if (decision === undefined) return {};
  const value: unknown = decision;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TypeError("AdmissionReview: the handler must return undefined or an object with `allowed`");
  for (const field of Object.keys(value))
    if (!decisionFields.has(field))
      throw new TypeError(`AdmissionReview: the handler returned an unknown field ${JSON.stringify(field)}`);
  const { allowed } = value as { allowed?: unknown };
  if (allowed !== undefined && typeof allowed !== "boolean")
    throw new TypeError("AdmissionReview: `allowed` in the handler's decision must be true, false or absent");
  return decision;
}

/** Returns the request of an AdmissionReview. Throws a `ProtocolError` if it isn't one. */
export function readAdmission<T>(review: unknown): ReviewRequest<AdmissionRequest<T>> {
  const read = readReviewRequest<AdmissionRequest<T>>(review, "AdmissionReview", "admission.k8s.io");
  const { operation } = read.request;
  if (!["CREATE", "UPDATE", "DELETE", "CONNECT"].includes(operation))
    throw new ProtocolError(`AdmissionReview: unknown operation ${JSON.stringify(operation) ?? ""}`);
  return read;
}
