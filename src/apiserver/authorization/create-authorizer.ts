import { ConfigError } from "../../errors/errors.js";
import { lazyModule } from "../../internal/lazy-module.js";
import type { BeforeRequests } from "../internal/start.js";
import type { Authorizer } from "../rbac/authorizer.js";
import type { PolicyRule } from "../rbac/policy-rule.js";
import { abacAuthorizer } from "./abac.js";
import {
  authorizerTypes,
  checkAuthorizationConfiguration,
  conditionProblems,
  configuredWebhook,
  parseAuthorizationConfiguration,
} from "./configuration.js";
import { alwaysAllow, alwaysDeny, functionAuthorizer, privilegedGroup } from "./fixed.js";
import { nodeAuthorizer } from "./node.js";
import type { StoredObjects } from "./node-graph.js";
import { createNodeGraph } from "./node-graph.js";
import type { AuthorizationOptions } from "./options.js";
import { unionAuthorizer } from "./union.js";
import type { AuthorizationWebhook, ConditionsHold, WebhookServices } from "./webhook.js";
import { webhookAuthorizer } from "./webhook.js";

/** Services that authorizers need. */
export interface AuthorizerServices extends WebhookServices {
  readonly before: BeforeRequests;
  /** Authorizer of stored roles and bindings. */
  readonly rbac: Authorizer;
  readonly stored: StoredObjects;
  /** Returns the rules that every node has. */
  readonly nodeRules: () => readonly PolicyRule[];
}

/** Needs CEL. */
const matching = lazyModule(() => import("./match-conditions.js"));

const configurationOption = "authorizationConfiguration";

/** Creates the authorizer of a server. Throws a `ConfigError` that names the invalid option. */
export function createAuthorizer(options: AuthorizationOptions, services: AuthorizerServices): Authorizer {
  return unionAuthorizer([privilegedGroup, ...chosen(options, services)]);
}

function chosen(options: AuthorizationOptions, services: AuthorizerServices): Authorizer[] {
  const { authorizationConfiguration: given, authorizationMode } = options;
  if (given !== undefined) {
    if (authorizationMode !== undefined)
      throw new ConfigError(`${configurationOption} can't be combined with authorizationMode`);
    const configuration =
      typeof given === "string" ? parseAuthorizationConfiguration(given, configurationOption) : given;
    checkAuthorizationConfiguration(configuration, configurationOption);
    return configuration.authorizers.map(({ type, webhook }, index) =>
      webhook === undefined
        ? byMode(type, options, services)
        : webhookBy(configuredWebhook(webhook), `${configurationOption}: authorizers[${index}].webhook`, services),
    );
  }
  const modes = typeof authorizationMode === "object" ? authorizationMode : [authorizationMode ?? "AlwaysAllow"];
  if (modes.length === 0) throw new ConfigError("authorizationMode: at least one mode is required");
  const known = new Set<unknown>();
  return modes.map((mode) => {
    if (typeof mode === "function") return functionAuthorizer(mode);
    if (!authorizerTypes.includes(mode))
      throw new ConfigError(
        `authorizationMode: unknown mode ${JSON.stringify(mode)}; expected ${authorizerTypes.join(", ")} or a function`,
      );
    if (known.has(mode)) throw new ConfigError(`authorizationMode: duplicate mode ${mode}`);
    known.add(mode);
    return byMode(mode, options, services);
  });
}

function byMode(mode: string, options: AuthorizationOptions, services: AuthorizerServices): Authorizer {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "RBAC":
      return services.rbac;
    case "Node":
      return nodeAuthorizer(createNodeGraph(services.stored), services.nodeRules());
    case "ABAC":
      if (options.abacPolicies === undefined) throw new ConfigError("abacPolicies is required for the mode ABAC");
      return abacAuthorizer(options.abacPolicies);
    default:
      return checkedWebhook(options.authorizationWebhook, services);
  }
}

function checkedWebhook(webhook: AuthorizationWebhook | undefined, services: AuthorizerServices): Authorizer {
  if (webhook === undefined) throw new ConfigError("authorizationWebhook is required for the mode Webhook");
  const { url, matchConditions = [] } = webhook;
  if (!URL.canParse(url)) throw new ConfigError(`authorizationWebhook.url: invalid URL ${JSON.stringify(url)}`);
  const [problem] = conditionProblems(matchConditions, "authorizationWebhook");
  if (problem !== undefined) throw new ConfigError(problem);
  return webhookBy(webhook, "authorizationWebhook", services);
}

/** Creates the authorizer of a checked webhook. `name` identifies it in the errors of its expressions. */
function webhookBy(webhook: AuthorizationWebhook, name: string, services: AuthorizerServices): Authorizer {
  const { matchConditions = [] } = webhook;
  let conditionsHold: ConditionsHold = () => true;
  if (matchConditions.length > 0)
    services.before(
      (async () => {
        await matching.load();
        conditionsHold = matching.get().compileMatchConditions(matchConditions, name);
      })(),
    );
  return webhookAuthorizer(webhook, (spec) => conditionsHold(spec), services);
}
