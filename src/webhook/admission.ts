import { ProtocolError } from "../errors/errors.js";
import { base64Encode } from "../internal/base64.js";
import { utf8Encode } from "../internal/bytes.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { Status } from "../meta/status.js";
import { createJsonPatch } from "../patch/create-json-patch.js";
import { type ReviewRequest, readReviewRequest } from "./review.js";

/** Group, version and kind. */
export interface GroupVersionKind {
  /** API group; `""` for the core group. */
  group: string;
  /** API version. */
  version: string;
  /** Kind. */
  kind: string;
}

/** Group, version and resource. */
export interface GroupVersionResource {
  /** API group; `""` for the core group. */
  group: string;
  /** API version. */
  version: string;
  /** Name of the resource in URLs. */
  resource: string;
}

/** Who sent the request that is reviewed. */
export interface AdmissionUser {
  /** Name. */
  username?: string;
  /** What stays the same when the name does not. */
  uid?: string;
  /** Groups. */
  groups?: string[];
  /** What else the authenticator said. */
  extra?: Record<string, string[]>;
}

/** What every request for admission has. */
export interface AdmissionAttributes {
  /** Names this review; the answer carries it too. */
  uid: string;
  /** Kind of the object as the webhook sees it. */
  kind: GroupVersionKind;
  /** Resource as the webhook sees it. */
  resource: GroupVersionResource;
  /** Subresource, as `status`. */
  subResource?: string;
  /** Kind that the request was sent for, where it was converted for the webhook. */
  requestKind?: GroupVersionKind;
  /** Resource that the request was sent for. */
  requestResource?: GroupVersionResource;
  /** Subresource that the request was sent for. */
  requestSubResource?: string;
  /** Name of the object; absent while the server has still to generate it. */
  name?: string;
  /** Namespace of the object. */
  namespace?: string;
  /** Who sent the request. */
  userInfo: AdmissionUser;
  /** Whether nothing will be stored whatever the answer: the webhook must then have no side effects. */
  dryRun?: boolean;
  /** Options of the operation, as a `CreateOptions`. */
  options?: Record<string, unknown> | null;
}

/** One request for admission; the operation tells which of the objects are there. */
export type AdmissionRequest<T = KubernetesObject> = AdmissionAttributes &
  (
    | { operation: "CREATE"; object: T; oldObject?: null }
    | { operation: "UPDATE"; object: T; oldObject: T }
    | { operation: "DELETE"; object?: null; oldObject: T }
    | { operation: "CONNECT"; object: T; oldObject?: null }
  );

/** What a webhook answers. */
export interface AdmissionResponse {
  /** That of the request. */
  uid: string;
  /** Whether the request may go on. */
  allowed: boolean;
  /** Why it may not. */
  status?: Status;
  /** A JSON Patch of the object, as base64. */
  patch?: string;
  /** How the patch is written. */
  patchType?: "JSONPatch";
  /** What the audit log is to hold. */
  auditAnnotations?: Record<string, string>;
  /** What the client is told besides; at most 256 characters each. */
  warnings?: string[];
}

/**
 * What the API server sends to an admission webhook, and what it wants back.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export interface AdmissionReview<T = KubernetesObject> {
  /** `admission.k8s.io/v1`, or v1beta1. */
  apiVersion: string;
  /** `AdmissionReview`. */
  kind: "AdmissionReview";
  /** The question. */
  request?: AdmissionRequest<T>;
  /** The answer. */
  response?: AdmissionResponse;
}

/** Warnings and audit annotations of an admission response. */
export interface AdmissionResponseExtras {
  /** Warnings for the client. */
  readonly warnings?: readonly string[];
  /** Annotations for the audit event; keys without a prefix. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Response that allows a request. */
export interface AllowedResponse<T = KubernetesObject> extends AdmissionResponseExtras {
  /** True, or absent. */
  readonly allowed?: true;
  /** The object to store, if the webhook changes it. Default: the object of the request. */
  readonly object?: DeepReadonly<T>;
}

/** Response that denies a request. */
export interface DeniedResponse extends AdmissionResponseExtras {
  /** False. */
  readonly allowed: false;
  /** Message for the user. */
  readonly message: string;
  /** HTTP status code for the user. Default 403. */
  readonly code?: number;
  /** Machine-readable reason. Default: the server's for the code. */
  readonly reason?: string;
}

/** Decides one admission request. Returning nothing allows it unchanged. */
export type AdmissionHandler<T = KubernetesObject> = (
  request: AdmissionRequest<T>,
) =>
  | AllowedResponse<T>
  | DeniedResponse
  | undefined
  | void
  | Promise<AllowedResponse<T> | DeniedResponse | undefined | void>;

/**
 * Handles an AdmissionReview and returns it with a response. The handler may return a new object or change the object of the
 * request in place; the JSON Patch between the two is computed here. Rejects with a `ProtocolError` if `review` is not an
 * AdmissionReview, with a `TypeError` if the handler returns an object for a request that has none, and with the handler's
 * own errors.
 */
export async function reviewAdmission<T = KubernetesObject>(
  review: unknown,
  decide: AdmissionHandler<T>,
): Promise<AdmissionReview<T>> {
  const { apiVersion, request } = readAdmission<T>(review);
  // The decision may change what it is given.
  const before = structuredClone(request.object ?? undefined) as object | undefined;
  const { uid } = request;
  const decision = (await decide(request)) ?? {};
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
    const { message, code = 403, reason } = decision;
    return answer({
      allowed: false,
      status: { status: "Failure", code, message, ...(reason !== undefined && { reason }) },
    });
  }
  if (decision.object === undefined) return answer({ allowed: true });
  if (before === undefined)
    throw new TypeError(`AdmissionReview: a ${request.operation} has no object that could be changed`);
  const operations = await createJsonPatch<object>(before, decision.object as object, { guard: "none" });
  if (operations.length === 0) return answer({ allowed: true });
  return answer({ allowed: true, patchType: "JSONPatch", patch: base64Encode(utf8Encode(JSON.stringify(operations))) });
}

/** The question of an AdmissionReview. Throws a `ProtocolError` for anything else. */
export function readAdmission<T>(review: unknown): ReviewRequest<AdmissionRequest<T>> {
  const read = readReviewRequest<AdmissionRequest<T>>(review, "AdmissionReview", "admission.k8s.io");
  const { operation } = read.request;
  if (!["CREATE", "UPDATE", "DELETE", "CONNECT"].includes(operation))
    throw new ProtocolError(`AdmissionReview: unknown operation ${JSON.stringify(operation) ?? ""}`);
  return read;
}
