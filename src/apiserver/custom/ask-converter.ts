import { rawError } from "../errors/status.js";
import type { FindService } from "../http/service-resolver.js";
import type { WebhookCaller } from "../http/webhook-caller.js";
import { callConfigured } from "../http/webhook-caller.js";
import { isJsonObject, jsonTypeName } from "../internal/json-value.js";
import type { Definition } from "../kinds/apiextensions/definition.js";
import type { ApiObject } from "../objects/api-object.js";
import { checkConverted, kindText } from "./check-converted.js";

/** Timeout for a conversion webhook in milliseconds. */
const timeoutMs = 30_000;

/** Services for calling a conversion webhook. */
export interface ConverterServices {
  readonly callWebhook: WebhookCaller;
  readonly findService: FindService;
  uuid(): string;
  /** Aborts when the server closes. */
  readonly closed: AbortSignal;
}

const extensionsGroup = "apiextensions.k8s.io";

/**
 * Converts objects to another version by one call to a definition's webhook. Rejects with 500 if the call fails or the
 * response is invalid.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
export async function askConverter(
  services: ConverterServices,
  definition: Definition,
  objects: readonly ApiObject[],
  apiVersion: string,
): Promise<ApiObject[]> {
  const { clientConfig = {}, conversionReviewVersions } = definition.spec.conversion?.webhook ?? {};
  const version = (conversionReviewVersions ?? []).find((candidate) => candidate === "v1" || candidate === "v1beta1");
  if (version === undefined) throw rawError("no supported conversion review versions");
  const uid = services.uuid();
  const failed = `conversion webhook for ${kindText(objects[0]!)}`;
  let converted: readonly unknown[];
  try {
    const answer = await callConfigured(clientConfig, services, {
      caBundle: (clientConfig.caBundle ?? "").trim() === "" ? undefined : clientConfig.caBundle,
      body: {
        kind: "ConversionReview",
        apiVersion: `${extensionsGroup}/${version}`,
        request: { uid, desiredAPIVersion: apiVersion, objects },
      },
      timeoutMs: timeoutMs,
      signal: services.closed,
    });
    converted = readAnswer(answer, version, uid);
  } catch (error) {
    throw rawError(`${failed} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (converted.length !== objects.length)
    throw rawError(`${failed} returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((object, at) => checkConverted(object, converted[at], apiVersion));
}

interface Answer {
  readonly uid?: string;
  readonly result?: { readonly status?: string; readonly message?: string };
  readonly convertedObjects?: readonly unknown[] | null;
}

/** Validates a response and returns its objects. Throws the reason if it is invalid. */
function readAnswer(answer: unknown, version: string, uid: string): readonly unknown[] {
  if (!isJsonObject(answer)) throw new TypeError(`the response is of type ${jsonTypeName(answer)}, not object`);
  // Like kube-apiserver, don't check the type of v1beta1 responses.
  if (version === "v1" && (answer["kind"] !== "ConversionReview" || answer["apiVersion"] !== `${extensionsGroup}/v1`))
    throw new TypeError(
      `expected webhook response of ${extensionsGroup}/v1, Kind=ConversionReview, got ${kindText(answer)}`,
    );
  const response = answer["response"] as Answer | null | undefined;
  if (response === undefined || response === null) throw new TypeError("no response provided");
  if (version === "v1" && response.uid !== uid)
    throw new TypeError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  const { status = "", message = "" } = response.result ?? {};
  if (status !== "Success")
    throw new TypeError(message === "" ? `response.result.status was '${status}', not 'Success'` : message);
  return response.convertedObjects ?? [];
}
