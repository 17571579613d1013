import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../../kinds/admissionregistration/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import {
  dnsLabel1035,
  duplicate,
  invalid,
  notSupported,
  portNumber,
  required,
  sameValue,
} from "../shared/field-errors.js";
import { selectorErrors } from "../shared/selectors.js";
import { conditionErrors, FAILURE_POLICIES, MATCH_POLICIES, ruleErrors } from "./validate-match-rules.js";

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
type Webhook = ValidatingWebhook | MutatingWebhook;

const HARMLESS = ["None", "NoneOnDryRun"];
const EFFECTS = ["None", "NoneOnDryRun", "Some", "Unknown"];
const REVIEWS = ["v1", "v1beta1"];
const REINVOCATIONS = ["IfNeeded", "Never"];
const FORM = "; desired format: https://host[/path]";

/** What is held against a configuration; changes are held to less where the old one broke the rule already. */
interface Strictness {
  readonly conditions: boolean;
  readonly harmless: boolean;
  readonly knownReview: boolean;
  readonly uniqueNames: boolean;
}

const strict: Strictness = { conditions: true, harmless: true, knownReview: true, uniqueNames: true };

/** Errors of a webhook configuration. */
export function validateWebhooks({ webhooks }: Configuration): FieldError[] {
  return webhooksErrors(webhooks ?? [], strict);
}

/** Errors of a changed webhook configuration. */
export function validateWebhooksUpdate({ webhooks }: Configuration, old: Configuration): FieldError[] {
  const before: readonly Webhook[] = old.webhooks ?? [];
  const now: readonly Webhook[] = webhooks ?? [];
  const reviews = (hook: Webhook): readonly string[] => hook.admissionReviewVersions ?? [];
  return webhooksErrors(now, {
    conditions:
      now.length !== before.length ||
      now.some((hook, index) => !sameValue(hook.matchConditions, before[index]!.matchConditions)),
    harmless: before.every(({ sideEffects }) => HARMLESS.includes(sideEffects)),
    knownReview: before.every(
      (hook) => reviews(hook).length === 0 || reviews(hook).some((version) => REVIEWS.includes(version)),
    ),
    uniqueNames: new Set(before.map(({ name }) => name)).size === before.length,
  });
}

function webhooksErrors(webhooks: readonly Webhook[], rules: Strictness): FieldError[] {
  const names = new Set<string>();
  return webhooks.flatMap((hook, index) => {
    const at = `webhooks[${String(index)}]`;
    const errors = [
      ...webhookErrors(hook, rules, at),
      ...reviewErrors(hook.admissionReviewVersions ?? [], rules.knownReview, `${at}.admissionReviewVersions`),
    ];
    if (rules.uniqueNames && hook.name !== "" && names.has(hook.name)) errors.push(duplicate(`${at}.name`, hook.name));
    names.add(hook.name);
    return errors;
  });
}

function webhookErrors(hook: Webhook, rules: Strictness, at: string): FieldError[] {
  const errors = fullNameErrors(`${at}.name`, hook.name);
  (hook.rules ?? []).forEach((rule, index) => errors.push(...ruleErrors(rule, `${at}.rules[${String(index)}]`)));
  const among = (field: string, value: string | undefined, known: readonly string[]): void => {
    if (value !== undefined && !known.includes(value)) errors.push(notSupported(`${at}.${field}`, value, known));
  };
  among("failurePolicy", hook.failurePolicy, FAILURE_POLICIES);
  among("matchPolicy", hook.matchPolicy, MATCH_POLICIES);
  const effects = rules.harmless ? HARMLESS : EFFECTS;
  if (((hook.sideEffects as string | null | undefined) ?? null) === null)
    errors.push(required(`${at}.sideEffects`, `must specify one of ${effects.join(", ")}`));
  else among("sideEffects", hook.sideEffects, effects);
  const seconds = hook.timeoutSeconds;
  if (seconds !== undefined && (seconds < 1 || seconds > 30))
    errors.push(invalid(`${at}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds"));
  if (hook.namespaceSelector !== undefined)
    errors.push(...selectorErrors(hook.namespaceSelector, `${at}.namespaceSelector`));
  if (hook.objectSelector !== undefined) errors.push(...selectorErrors(hook.objectSelector, `${at}.objectSelector`));
  if ("reinvocationPolicy" in hook) among("reinvocationPolicy", hook.reinvocationPolicy, REINVOCATIONS);
  errors.push(...clientErrors(hook.clientConfig, `${at}.clientConfig`));
  if (rules.conditions) errors.push(...conditionErrors(hook.matchConditions, false, `${at}.matchConditions`));
  return errors;
}

function fullNameErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const wrong = nameErrors(name, "subdomain");
  if (wrong.length > 0) return [invalid(field, name, wrong.join(","))];
  return name.split(".").length < 3
    ? [invalid(field, name, "should be a domain with at least three segments separated by dots")]
    : [];
}

/** Errors of the versions of reviews that a webhook understands. */
export function reviewErrors(
  versions: readonly string[],
  known: boolean,
  at: string,
  missing = `must specify one of ${REVIEWS.join(", ")}`,
): FieldError[] {
  if (versions.length === 0) return [required(at, missing)];
  const errors: FieldError[] = [];
  versions.forEach((version, index) => {
    const place = `${at}[${String(index)}]`;
    if (versions.indexOf(version) < index) errors.push(invalid(place, version, "duplicate version"));
    else errors.push(...dnsLabel1035(place, version));
  });
  if (known && !versions.some((version) => REVIEWS.includes(version)))
    errors.push(invalid(at, versions, `must include at least one of ${REVIEWS.join(", ")}`));
  return errors;
}

/** Errors of where a webhook is called. */
export function clientErrors({ url, service }: Webhook["clientConfig"], at: string): FieldError[] {
  if ((url === undefined) === (service === undefined))
    return [required(at, "exactly one of url or service is required")];
  if (url !== undefined) return urlErrors(url, `${at}.url`);
  const { namespace, name, path, port } = service!;
  const errors: FieldError[] = [];
  // A real server asks for these two under each other's names.
  if (namespace === "") errors.push(required(`${at}.service.name`));
  if (name === "") errors.push(required(`${at}.service.namespace`));
  const wrong = portNumber("", port ?? 0).map(({ detail }) => detail);
  if (wrong.length > 0) errors.push(invalid(`${at}.service.port`, port ?? 0, `port is not valid: ${wrong.join(", ")}`));
  return path === undefined ? errors : [...errors, ...pathErrors(path, `${at}.service.path`)];
}

function urlErrors(url: string, at: string): FieldError[] {
  const problem = urlProblem(url);
  if (problem !== undefined)
    return [required(at, `url must be a valid URL: parse ${JSON.stringify(url)}: ${problem}${FORM}`)];
  const [, scheme = "", authority = "", query, fragment] =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(url)!;
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : undefined;
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== "https")
    errors.push(invalid(at, scheme.toLowerCase(), `'https' is the only allowed URL scheme${FORM}`));
  if (host === "") errors.push(invalid(at, host, `host must be specified${FORM}`));
  if (user !== undefined) errors.push(invalid(at, user, "user information is not permitted in the URL"));
  if ((fragment ?? "") !== "") errors.push(invalid(at, fragment, "fragments are not permitted in the URL"));
  if ((query ?? "") !== "") errors.push(invalid(at, query, "query parameters are not permitted in the URL"));
  return errors;
}

/** Why Go would not read a URL; undefined if it would. */
function urlProblem(url: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(url)) return "net/url: invalid control character in URL";
  if (url.startsWith(":")) return "missing protocol scheme";
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(url);
  if (escape !== null) return `invalid URL escape ${JSON.stringify(escape[0])}`;
  const first = /^[^/?#]*/.exec(url)![0];
  if (first.includes(":") && !/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(first))
    return "first path segment in URL cannot contain colon";
  const authority = /^[^:]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const port = /^(?:\[[^\]]*\]|[^:]*)(:.*)$/.exec(host)?.[1];
  if (port !== undefined && !/^:\d*$/.test(port)) return `invalid port ${JSON.stringify(port)} after host`;
  const odd = /[ <>"`{}|\\^]/.exec(host);
  return odd === null ? undefined : `invalid character ${JSON.stringify(odd[0])} in host name`;
}

/** Errors of the path of a service that is called. */
export function pathErrors(path: string, at: string): FieldError[] {
  if (path === "/" || path === "") return [];
  if (path === "//") return [invalid(at, path, "segment[0] may not be empty")];
  const errors = path.startsWith("/") ? [] : [invalid(at, path, "must start with a '/'")];
  const rest = path.slice(1).replace(/\/$/, "");
  rest.split("/").forEach((step, index) => {
    if (step === "") errors.push(invalid(at, path, `segment[${String(index)}] may not be empty`));
    else
      errors.push(
        ...nameErrors(step, "subdomain").map((detail) => invalid(at, path, `segment[${String(index)}]: ${detail}`)),
      );
  });
  return errors;
}
