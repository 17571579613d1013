import { decodeBuiltIn } from "../handlers/body.js";
import { utf8Decode } from "../../internal/bytes.js";
import type { LabelSelector } from "../../meta/label-selector.js";
import type { Status } from "../../meta/status.js";
import { applyJsonPatch } from "../../patch/apply-json-patch.js";
import { decodeJsonPatch } from "../../patch/decode-json-patch.js";
import type { AdmissionAttributes, AdmissionPlugin, RequestContext } from "../core.js";
import type { ApiObject } from "../registry/strategy.js";
import { ApiFailure, badRequest, failure, internalError } from "../status.js";
import { evaluate, policyVariables } from "./cel-variables.js";
import type { NamedExpression } from "./cel-variables.js";
import type { AdmissionRule } from "./match-rules.js";
import { isExempt, ruleMatches, selectorsMatch } from "./match-rules.js";
import { listStored } from "./stored.js";
import type { WebhookClientConfig } from "./webhook-caller.js";
import { webhookUrl } from "./webhook-caller.js";

const GROUP = "admissionregistration.k8s.io";

interface Webhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly AdmissionRule[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly NamedExpression[];
}

interface ReviewResponse {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Status;
  readonly patch?: string;
  readonly patchType?: string;
  readonly warnings?: readonly string[];
}

/**
 * Lets webhooks change what is written.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export const mutatingWebhooks: AdmissionPlugin = {
  name: "MutatingAdmissionWebhook",
  async admit(attributes, context) {
    const matching = webhooksFor("mutatingwebhookconfigurations", attributes, context);
    const called: { webhook: Webhook; after: string }[] = [];
    for (const webhook of matching) {
      await mutate(webhook, attributes, context);
      called.push({ webhook, after: JSON.stringify(attributes.object) });
    }
    // Who asked for it sees the object once more if a later webhook changed it.
    for (const { webhook, after } of called) {
      if (webhook.reinvocationPolicy === "IfNeeded" && JSON.stringify(attributes.object) !== after) await mutate(webhook, attributes, context);
    }
  },
};

/** Lets webhooks refuse what is written; all are asked at once. */
export const validatingWebhooks: AdmissionPlugin = {
  name: "ValidatingAdmissionWebhook",
  async validate(attributes, context) {
    const results = await Promise.allSettled(webhooksFor("validatingwebhookconfigurations", attributes, context).map((webhook) => call(webhook, attributes, context)));
    const refused = results.find((result) => result.status === "rejected");
    if (refused !== undefined) throw refused.reason;
  },
};

function webhooksFor(resource: string, attributes: AdmissionAttributes, { core }: RequestContext): Webhook[] {
  if (isExempt(attributes)) return [];
  return listStored(core, `${GROUP}/${resource}`).flatMap((configuration) => (configuration["webhooks"] as Webhook[] | undefined) ?? [])
    .filter((webhook) => (webhook.rules ?? []).some((rule) => ruleMatches(rule, attributes)) && selectorsMatch(core, attributes, webhook));
}

/** Whether a webhook's conditions hold. Throws where one fails to evaluate and the webhook's policy is to fail. */
function conditionsHold(webhook: Webhook, attributes: AdmissionAttributes, context: RequestContext): boolean {
  const variables = policyVariables(attributes, context, undefined, []);
  try {
    return (webhook.matchConditions ?? []).every(({ expression }) => evaluate(expression, variables) === true);
  } catch (error) {
    if (webhook.failurePolicy === "Ignore") return false;
    throw failure(403, "Forbidden", `failed to evaluate match conditions of webhook ${JSON.stringify(webhook.name)}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function mutate(webhook: Webhook, attributes: AdmissionAttributes, context: RequestContext): Promise<void> {
  const response = await call(webhook, attributes, context);
  if (response?.patch === undefined || attributes.object === undefined) return;
  let patched: ApiObject;
  try {
    const text = utf8Decode(Uint8Array.from(atob(response.patch), (character) => character.charCodeAt(0)));
    patched = applyJsonPatch(attributes.object, decodeJsonPatch(text, { check: false }).operations) as ApiObject;
  } catch (error) {
    throw internalError(`failed to apply the patch of webhook ${JSON.stringify(webhook.name)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  for (const key of Object.keys(attributes.object)) Reflect.deleteProperty(attributes.object, key);
  Object.assign(attributes.object, patched);
  decodeBuiltIn(attributes.resource, attributes.object);
  attributes.resource.strategy.defaults?.(attributes.object);
}

/** Asks one webhook. Throws its refusal; answers `undefined` if its conditions do not hold, or if it cannot be asked and that is to be ignored. */
async function call(webhook: Webhook, attributes: AdmissionAttributes, context: RequestContext): Promise<ReviewResponse | undefined> {
  if (!conditionsHold(webhook, attributes, context)) return undefined;
  if (attributes.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun") {
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  }
  let response: ReviewResponse;
  try {
    response = await ask(webhook, attributes, context);
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    if (webhook.failurePolicy === "Ignore") return undefined;
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  for (const warning of response.warnings ?? []) context.warn(warning);
  if (response.allowed !== true) throw refusal(webhook.name, response.status ?? {});
  return response;
}

async function ask(webhook: Webhook, attributes: AdmissionAttributes, context: RequestContext): Promise<ReviewResponse> {
  const { core, user } = context;
  const { resource, subresource, namespace, name, operation, object, old, dryRun, options } = attributes;
  const version = (webhook.admissionReviewVersions ?? ["v1"]).find((candidate) => candidate === "v1" || candidate === "v1beta1") ?? "v1";
  const uid = core.uuid();
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const place = { group: resource.group, version: resource.version, resource: resource.resource };
  const review = {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid, kind, resource: place, ...(subresource === "" ? {} : { subResource: subresource, requestSubResource: subresource }), requestKind: kind, requestResource: place,
      ...(name === "" ? {} : { name }), ...(namespace === "" ? {} : { namespace }), operation,
      userInfo: { username: user.name, ...(user.uid === "" ? {} : { uid: user.uid }), groups: user.groups, ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }) },
      object: object ?? null, oldObject: old ?? null, dryRun, options: options ?? null,
    },
  };
  const answer = (await core.callWebhook({
    url: webhookUrl(webhook.clientConfig), caBundle: webhook.clientConfig.caBundle, body: review, timeoutMs: (webhook.timeoutSeconds ?? 10) * 1000, signal: context.signal,
  })) as { kind?: string; response?: ReviewResponse };
  if (answer.kind !== "AdmissionReview" || answer.response === undefined) throw new TypeError("received invalid webhook response: expected an AdmissionReview with a response");
  if (answer.response.uid !== uid) throw new TypeError(`received invalid webhook response: expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answer.response.uid ?? "")}`);
  if (answer.response.patch !== undefined && answer.response.patchType !== "JSONPatch") throw new TypeError(`received invalid webhook response: unknown patchType ${JSON.stringify(answer.response.patchType ?? "")}`);
  return answer.response;
}

function refusal(name: string, result: Status): ApiFailure {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message = result.message ? `${denied}: ${result.message}` : result.reason ? `${denied}: ${result.reason}` : `${denied} without explanation`;
  const code = (result.code ?? 0) < 400 ? 400 : result.code!;
  return new ApiFailure({ kind: "Status", apiVersion: "v1", metadata: {}, ...result, status: "Failure", message, code });
}
