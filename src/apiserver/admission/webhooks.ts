import { utf8Decode } from "../../internal/bytes.js";
import type { LabelSelector } from "../../meta/label-selector.js";
import type { Status } from "../../meta/status.js";
import { ApiFailure, badRequest, forbidden, internalError } from "../errors/status.js";
import type { WebhookClientConfig } from "../http/webhook-caller.js";
import { callConfigured } from "../http/webhook-caller.js";
import { goJsonText } from "../internal/go-text.js";
import type { ApiObject } from "../objects/api-object.js";
import { labelKeyErrors } from "../objects/selectors.js";
import { applyJsonPatch } from "../patch/apply-json-patch.js";
import { decodeJsonPatch } from "../patch/decode-json-patch.js";
import { rerunUntilDecided } from "../rbac/decisions.js";
import type { ServedResource } from "../registry/resources.js";
import type { AdmissionAttributes, RegistryContext } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";
import { callsOf, roundsOf } from "../registry/write/reinvocation.js";
import type { NamedExpression, VersionedRequest } from "./cel-variables.js";
import { conditionsHold, policyRun, requestFields } from "./cel-variables.js";
import type { AdmissionRule } from "./match-rules.js";
import { selectorsMatch } from "./match-rules.js";
import { convert, inVersionOf, resourceByRules } from "./policy-matching.js";
import { replaceObject } from "./replace-object.js";

const admissionGroup = "admissionregistration.k8s.io";
const mutationPrefix = "mutation.webhook.admission.k8s.io/";

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
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Calls the stored MutatingWebhookConfigurations in order. */
export async function callMutatingWebhooks(attributes: AdmissionAttributes, context: RegistryContext): Promise<void> {
  const rounds = roundsOf(attributes);
  const calls = callsOf(attributes, "MutatingAdmissionWebhook");
  calls.begin(attributes.object, rounds.again);
  // Changes by an earlier webhook affect whether a later one matches.
  for (const { webhook, configuration, index } of webhooksOf("mutatingwebhookconfigurations", context)) {
    const target = targetOf(webhook, attributes, context);
    const key = `${configuration}/${webhook.name}`;
    if (target === undefined) continue;
    const request = await inVersionOf(target, attributes);
    if (!(await conditionsMatch(webhook, attributes, context, request)) || !calls.isDue(key, rounds.again)) continue;
    const place = `round_${rounds.again ? "1" : "0"}_index_${String(index)}`;
    let changed = false;
    try {
      changed = await mutate({ webhook, configuration, place }, request, attributes, context);
    } finally {
      context.audit?.annotate(
        `${mutationPrefix}${place}`,
        goJsonText({ configuration, webhook: webhook.name, mutated: changed }),
      );
    }
    if (changed) {
      calls.changed();
      rounds.wanted = true;
    }
    if (webhook.reinvocationPolicy === "IfNeeded") calls.waits(key);
  }
  calls.end(attributes.object);
}

/** Calls the stored ValidatingWebhookConfigurations in parallel, once it's known which of them match. */
export async function callValidatingWebhooks(attributes: AdmissionAttributes, context: RegistryContext): Promise<void> {
  const matching: { readonly webhook: Webhook; readonly request: VersionedRequest }[] = [];
  for (const { webhook } of webhooksOf("validatingwebhookconfigurations", context)) {
    const target = targetOf(webhook, attributes, context);
    if (target === undefined) continue;
    const request = await inVersionOf(target, attributes);
    if (await conditionsMatch(webhook, attributes, context, request)) matching.push({ webhook, request });
  }
  const results = await Promise.allSettled(
    matching.map(({ webhook, request }, index) => {
      const audited = `validating.webhook.admission.k8s.io/round_0_index_${String(index)}`;
      return call({ webhook, request, attributes, context, audited });
    }),
  );
  const refused = results.find((result) => result.status === "rejected");
  if (refused !== undefined) throw refused.reason;
}

interface Registered {
  readonly webhook: Webhook;
  readonly configuration: string;
  /** Index among all webhooks. */
  readonly index: number;
}

function webhooksOf(resource: string, { services }: RegistryContext): Registered[] {
  return listStored(services, `${admissionGroup}/${resource}`)
    .flatMap((configuration) =>
      ((configuration["webhooks"] as Webhook[] | undefined) ?? []).map((webhook) => ({
        webhook,
        configuration: configuration.metadata?.name ?? "",
      })),
    )
    .map((each, index) => ({ ...each, index }));
}

/** Returns the resource in the version that a webhook matches, or `undefined` if it doesn't match the request. */
function targetOf(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  { services }: RegistryContext,
): ServedResource | undefined {
  return selectorsMatch(services, attributes, webhook)
    ? resourceByRules(webhook.rules ?? [], webhook.matchPolicy, attributes, services)
    : undefined;
}

/** True if a webhook's match conditions hold. Throws if they fail and the webhook's failure policy is `Fail`. */
async function conditionsMatch(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  context: RegistryContext,
  request: VersionedRequest,
): Promise<boolean> {
  const run = policyRun(attributes, context, request, { hasParams: false });
  const { matches, error } = await rerunUntilDecided(() => conditionsHold(webhook.matchConditions ?? [], run));
  if (error !== undefined && webhook.failurePolicy !== "Ignore")
    throw forbidden(groupResourceOf(attributes), attributes.name, error);
  return matches;
}

function groupResourceOf({ resource: { group, resource } }: AdmissionAttributes): { group: string; resource: string } {
  return { group, resource };
}

/** Calls a mutating webhook and applies its patch. Returns true if the object changed. */
async function mutate(
  {
    webhook,
    configuration,
    place,
  }: { readonly webhook: Webhook; readonly configuration: string; readonly place: string },
  request: VersionedRequest,
  attributes: AdmissionAttributes,
  context: RegistryContext,
): Promise<boolean> {
  const response = await call({ webhook, request, attributes, context, audited: `${mutationPrefix}${place}` });
  if ((response?.patch ?? "") === "") return false;
  let operations: ReturnType<typeof decodeJsonPatch>["operations"];
  let text: string;
  try {
    text = utf8Decode(Uint8Array.from(atob(response!.patch!), (character) => character.charCodeAt(0)));
    operations = decodeJsonPatch(text, { check: false }).operations;
  } catch (error) {
    if (webhook.failurePolicy === "Ignore") {
      context.audit?.annotate(`failed-open.${mutationPrefix}${place}`, webhook.name);
      return false;
    }
    throw failedCalling(webhook, `received undecodable patch in webhook response: ${textOf(error)}`);
  }
  if (operations.length === 0) return false;
  const held = attributes.object;
  if (held === undefined)
    throw internalError(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  let patched: ApiObject;
  try {
    patched = (await convert(
      applyJsonPatch(request.object, operations) as ApiObject,
      request.resource,
      attributes.resource,
    ))!;
  } catch (error) {
    throw error instanceof ApiFailure ? error : internalError(textOf(error));
  }
  const patch = (JSON.parse(text) as (object | null)[]).map((operation) =>
    Object.fromEntries(Object.entries(operation ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  context.audit?.annotate(
    `patch.webhook.admission.k8s.io/${place}`,
    goJsonText({ configuration, webhook: webhook.name, patch, patchType: "JSONPatch" }),
    "Request",
  );
  const before = JSON.stringify(held);
  replaceObject(attributes, patched, context.services.clock.now(), "dropped");
  return JSON.stringify(held) !== before;
}

function failedCalling(webhook: Webhook, reason: string): ApiFailure {
  return internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${reason}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Calls one webhook. Throws if it denies the request; returns `undefined` if the call fails and that is ignored. */
async function call({
  webhook,
  request,
  attributes,
  context,
  audited,
}: {
  webhook: Webhook;
  request: VersionedRequest;
  attributes: AdmissionAttributes;
  context: RegistryContext;
  audited: string;
}): Promise<ReviewResponse | undefined> {
  if (attributes.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun") {
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  }
  let response: ReviewResponse;
  try {
    response = await ask(webhook, request, attributes, context);
  } catch (error) {
    if (context.signal().aborted) throw context.signal().reason;
    if (webhook.failurePolicy !== "Ignore") throw failedCalling(webhook, textOf(error));
    context.audit?.annotate(`failed-open.${audited}`, webhook.name);
    return undefined;
  }
  for (const [key, value] of Object.entries(response.auditAnnotations ?? {})) {
    const name = `${webhook.name}/${key}`;
    if (labelKeyErrors(name).length === 0) context.audit?.annotate(name, value);
  }
  for (const warning of response.warnings ?? []) if (warning !== "") context.warn(warning);
  if (response.allowed !== true) throw refusal(webhook.name, response.status ?? {});
  return response;
}

async function ask(
  webhook: Webhook,
  { resource: target, object, old }: VersionedRequest,
  attributes: AdmissionAttributes,
  context: RegistryContext,
): Promise<ReviewResponse> {
  const { services, user } = context;
  const version =
    (webhook.admissionReviewVersions ?? ["v1"]).find((candidate) => candidate === "v1" || candidate === "v1beta1") ??
    "v1";
  const uid = services.uuid();
  const review = {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...requestFields(attributes, user, target),
      object: object ?? null,
      oldObject: old ?? null,
      options: attributes.options ?? null,
    },
  };
  let answer: { kind?: string; apiVersion?: string; response?: ReviewResponse };
  try {
    answer = (await callConfigured(webhook.clientConfig, services, {
      caBundle: webhook.clientConfig.caBundle,
      body: review,
      timeoutMs: (webhook.timeoutSeconds ?? 10) * 1000,
      signal: context.signal(),
    })) as typeof answer;
  } catch (error) {
    throw new TypeError(`failed to call webhook: ${textOf(error)}`, { cause: error });
  }
  return checkResponse(answer, uid, `admission.k8s.io/${version}`);
}

/** Validates the response of a review and returns it. Throws the reason if it is invalid. */
function checkResponse(
  review: { kind?: string; apiVersion?: string; response?: ReviewResponse },
  uid: string,
  apiVersion: string,
): ReviewResponse {
  const wrong = (reason: string): Error => new TypeError(`received invalid webhook response: ${reason}`);
  const { response } = review;
  if (response === undefined) throw wrong("webhook response was absent");
  if (apiVersion.endsWith("/v1beta1")) return response;
  if (review.apiVersion !== apiVersion || review.kind !== "AdmissionReview")
    throw wrong(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${review.apiVersion ?? ""}, Kind=${review.kind ?? ""}`,
    );
  if (response.uid !== uid)
    throw wrong(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`);
  const patched = (response.patch ?? "") !== "";
  if ((response.patchType ?? "") !== (patched ? "JSONPatch" : ""))
    throw wrong(
      `webhook returned ${patched ? "a" : "no"} patch with the patchType ${JSON.stringify(response.patchType ?? "")}`,
    );
  return response;
}

function refusal(name: string, result: Status): ApiFailure {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message = result.message
    ? `${denied}: ${result.message}`
    : result.reason
      ? `${denied}: ${result.reason}`
      : `${denied} without explanation`;
  const code = (result.code ?? 0) < 400 ? 400 : result.code!;
  return new ApiFailure({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    ...result,
    status: "Failure",
    message,
    code,
  });
}
