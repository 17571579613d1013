import { ProtocolError } from "../errors/errors.js";
import type { KubernetesObject } from "../meta/object.js";
import type { Status } from "../meta/status.js";
import { type ReviewRequest, readReviewRequest } from "./review.js";

/** A request to convert custom objects. */
export interface ConversionRequest {
  /** Names this review; the answer carries it too. */
  uid: string;
  /** Group and version that all objects are wanted in. */
  desiredAPIVersion: string;
  /** The objects, of one kind and of any of its versions. */
  objects: KubernetesObject[];
}

/** What a webhook answers. */
export interface ConversionResponse {
  /** That of the request. */
  uid: string;
  /** As many objects as were sent, in the same order; empty after a failure. */
  convertedObjects: object[];
  /** Whether it succeeded, and what went wrong. */
  result: Status;
}

/**
 * What the API server sends to the conversion webhook of a CustomResourceDefinition, and what it wants back.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
 */
export interface ConversionReview {
  /** `apiextensions.k8s.io/v1`, or v1beta1. */
  apiVersion: string;
  /** `ConversionReview`. */
  kind: "ConversionReview";
  /** The question. */
  request?: ConversionRequest;
  /** The answer. */
  response?: ConversionResponse;
}

/** Converts one object to the desired version. The caller sets `apiVersion` of the result. */
export type ConversionHandler = (object: KubernetesObject, desiredAPIVersion: string) => object | Promise<object>;

/**
 * Handles a ConversionReview and returns it with a response. Calls `convert` for each object that doesn't have the desired
 * version yet. An error of `convert` becomes the failure that the server reports. Rejects with a `ProtocolError` if `review`
 * is not a ConversionReview.
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

/** The question of a ConversionReview. Throws a `ProtocolError` for anything else. */
export function readConversion(review: unknown): ReviewRequest<ConversionRequest> {
  const read = readReviewRequest<ConversionRequest>(review, "ConversionReview", "apiextensions.k8s.io");
  const { desiredAPIVersion, objects } = read.request;
  if (
    typeof desiredAPIVersion !== "string" ||
    !Array.isArray(objects) ||
    objects.some((object) => typeof object !== "object" || (object as unknown) === null)
  ) {
    throw new ProtocolError("ConversionReview: the request has no desiredAPIVersion or no list of objects");
  }
  return read;
}
