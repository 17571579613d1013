import { ProtocolError } from "../errors/errors.js";
import type { KubernetesObject } from "../meta/object.js";
import type { Status } from "../meta/status.js";
import { type ReviewRequest, readReviewRequest } from "./review.js";

/** Request to convert custom objects. */
export interface ConversionRequest {
  /** Identifier of this review, copied to the response. */
  uid: string;
  /** API version to convert the objects to, such as `example.com/v2`. */
  desiredAPIVersion: string;
  /** Objects to convert. They have the same kind and may have different versions. */
  objects: KubernetesObject[];
}

/** Response of a conversion webhook, in wire format. */
export interface ConversionResponse {
  /** The `uid` of the request. */
  uid: string;
  /** Converted objects in the order of the request; empty after a failure. */
  convertedObjects: object[];
  /** Success, or the reason for the failure. */
  result: Status;
}

/**
 * Object that the API server exchanges with the conversion webhook of a CustomResourceDefinition.
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
export interface ConversionReview {
  /** `apiextensions.k8s.io/v1` or `apiextensions.k8s.io/v1beta1`. */
  apiVersion: string;
  /** Always `ConversionReview`. */
  kind: "ConversionReview";
  /** Request from the API server. */
  request?: ConversionRequest | undefined;
  /** Response of the webhook. */
  response?: ConversionResponse | undefined;
}

/** Converts one object to the desired version. The caller sets `apiVersion` of the result. */
export type ConversionHandler = (object: KubernetesObject, desiredAPIVersion: string) => object | Promise<object>;

/**
 * Handles a ConversionReview and returns it with a response, for servers without the Fetch API; otherwise use
 * `conversionWebhook`. Calls `convert` for each object that doesn't have the desired version yet. If `convert` throws,
 * the response reports its message as the failure. Rejects with a `ProtocolError` if `review` isn't a ConversionReview.
 *
 * @example
 * ```ts
 * import { reviewConversion } from "kubestream/webhook";
 *
 * export function handle(body: string): Promise<object> {
 *   return reviewConversion(JSON.parse(body), (object, desiredAPIVersion) =>
 *     desiredAPIVersion === "example.com/v2" ? { ...object, spec: { replicas: 1 } } : object,
 *   );
 * }
 * ```
 */
export async function reviewConversion(review: unknown, convert: ConversionHandler): Promise<ConversionReview> {
  const {
    apiVersion,
    request: { uid, desiredAPIVersion, objects },
  } = readConversion(review);
  const answer = (response: Omit<ConversionResponse, "uid">): ConversionReview => ({
    apiVersion,
    kind: "ConversionReview",
    response: { uid, ...response },
  });
  try {
    const convertedObjects = await Promise.all(
      objects.map(async (object) =>
        object.apiVersion === desiredAPIVersion
          ? object
          : { ...(await convert(object, desiredAPIVersion)), apiVersion: desiredAPIVersion },
      ),
    );
    return answer({ convertedObjects, result: { status: "Success" } });
  } catch (error) {
    return answer({
      convertedObjects: [],
      result: { status: "Failure", message: error instanceof Error ? error.message : String(error) },
    });
  }
}

/** Returns the request of a ConversionReview. Throws a `ProtocolError` if it isn't one. */
export function readConversion(review: unknown): ReviewRequest<ConversionRequest> {
  const read = readReviewRequest<ConversionRequest>(review, "ConversionReview", "apiextensions.k8s.io");
  const { desiredAPIVersion, objects } = read.request;
  if (
    typeof desiredAPIVersion !== "string" ||
    !Array.isArray(objects) ||
    objects.some((object) => typeof object !== "object" || (object as unknown) === null)
  ) {
    throw new ProtocolError("ConversionReview: request.desiredAPIVersion and request.objects are required");
  }
  return read;
}
