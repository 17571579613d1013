import { ProtocolError } from "../errors/errors.js";
import type { KubernetesObject } from "../meta/object.js";
import type { Status } from "../meta/status.js";
import { type ReviewRequest, requestOf } from "./review.js";

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

/** Converts one object; `apiVersion` of what it gives is set by the caller. */
export type ConvertObject = (object: KubernetesObject, desiredAPIVersion: string) => object | Promise<object>;

/**
 * Answers a ConversionReview, each object by `convert`; those that have the version already stay as they are. What `convert` throws becomes the failure that the
 * server tells the user. Rejects with a `ProtocolError` for what is no review.
 */
export async function answerConversion(review: unknown, convert: ConvertObject): Promise<ConversionReview> {
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
  const read = requestOf<ConversionRequest>(review, "ConversionReview", "apiextensions.k8s.io");
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
