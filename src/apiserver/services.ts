import { systemClock } from "../internal/clock.js";
import { handleRejection } from "../internal/handle-rejection.js";
import { createEscalationCheck } from "./admission/escalation.js";
import { paramRights } from "./admission/param-rights.js";
import { createAggregatedApis } from "./aggregation/aggregated-apis.js";
import { createServiceAccountTokens } from "./authentication/authenticators/service-account-tokens.js";
import type { Authentication } from "./authentication/create-authentication.js";
import { createAuthentication } from "./authentication/create-authentication.js";
import { createAuthorizer } from "./authorization/create-authorizer.js";
import { builtinResources } from "./builtin/builtin-resources.js";
import { anyChosen } from "./controllers/controllers.js";
import { loadCustomResources } from "./controllers/definition-controller.js";
import type { ControllerServices } from "./controllers/services.js";
import type { HandlerServices } from "./handlers/services.js";
import { fetchApiCaller } from "./http/api-caller.js";
import { fetchWebhookCaller } from "./http/webhook-caller.js";
import type { BeforeRequests } from "./internal/start.js";
import { loadKind, servingRules } from "./kinds/builtin-kinds.js";
import { strategyFor } from "./kinds/strategy-for.js";
import { createFieldManagement } from "./managedfields/field-management.js";
import type { ApiObject } from "./objects/api-object.js";
import type { ApiServerOptions } from "./options.js";
import { checkedPlugin } from "./plugins/own-plugin.js";
import { chooseAdmissionPlugins } from "./plugins/plugins.js";
import { createRbacAuthorizer } from "./rbac/authorizer.js";
import { bootstrapRules } from "./registry/bootstrap.js";
import { featureFilter, isEnabled, servedVersions } from "./registry/features.js";
import { randomSuffix, randomUuid } from "./registry/random-names.js";
import type { BuiltinGroupVersion } from "./registry/resource-table.js";
import { ResourceTable } from "./registry/resource-table.js";
import { createServiceFinder } from "./registry/service-place.js";
import { getStored, listStored, versionOf } from "./registry/stored-objects.js";
import { MvccStore } from "./storage/mvcc.js";
import { createServerFlowControl, storedSource } from "./stored-configuration.js";
import type { ProtobufCache } from "./wire/protobuf-cache.js";
import { createProtobufCache } from "./wire/protobuf-cache.js";

/** All services of one server. Each folder sees only the part that it declares. */
export interface ServerServices extends HandlerServices, ControllerServices {
  readonly protobuf: ProtobufCache;
  readonly authentication: Authentication;
}

/** Built-in resources of all servers that leave them unchanged. */
let sharedResources: readonly BuiltinGroupVersion[] | undefined;

/** Loads the rules of a kind, and with CustomResourceDefinitions the module that serves custom resources. */
function loadRules(group: string, resource: string): Promise<void> | undefined {
  const kind = loadKind(group, resource);
  const custom = group === "apiextensions.k8s.io" ? loadCustomResources() : undefined;
  return kind === undefined || custom === undefined ? (kind ?? custom) : bothLoaded(kind, custom);
}

async function bothLoaded(kind: Promise<void>, custom: Promise<void>): Promise<void> {
  await Promise.all([kind, custom]);
}

function createResources(): readonly BuiltinGroupVersion[] {
  return builtinResources({
    strategyOf: (group, version, resource) => strategyFor(group, resource, version),
    load: loadRules,
    rulesOf: servingRules,
  });
}

/**
 * Creates the services of a server. Throws a `ConfigError` if an option is invalid; what must be loaded to check an
 * option is passed to `before`.
 */
export function createServices(options: ApiServerOptions, closed: AbortSignal, before: BeforeRequests): ServerServices {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const store = new MvccStore(clock, options.retention);
  const adapt = featureFilter(options);
  const builtin = adapt === undefined ? (sharedResources ??= createResources()) : createResources();
  const resources = new ResourceTable(servedVersions(builtin, options), adapt);
  const rbac = createRbacAuthorizer(storedSource(store, "rbac.authorization.k8s.io"));
  const callWebhook = options.webhooks ?? fetchWebhookCaller(clock);
  const authorizer = createAuthorizer(options, {
    clock,
    callWebhook,
    closed,
    before,
    rbac,
    stored: { version: (bucket) => versionOf({ store }, bucket), list: (bucket) => listStored({ store }, bucket) },
    nodeRules: () => bootstrapRules("system:node"),
  });
  const read = (bucket: string, key: string): ApiObject | undefined => getStored({ store }, bucket, key);
  const serviceAccounts = createServiceAccountTokens(clock, read);
  const authentication = createAuthentication(options, {
    clock,
    callWebhook,
    closed,
    before,
    serviceAccounts,
    stored: read,
  });
  const findService = createServiceFinder(store, options.resolveService);
  return {
    clock,
    store,
    resources,
    authorizer,
    authentication,
    serviceAccounts,
    flowControl: createServerFlowControl(options, { clock, store, resources }),
    kubelets: options.kubelets,
    splitsLogStreams: isEnabled(options, "PodLogsQuerySplitStreams"),
    controllersRun: anyChosen(options.controllers ?? {}),
    protobuf: createProtobufCache(),
    encodings: ["json", "yaml", "protobuf", ...(isEnabled(options, "CBORServingAndStorage") ? ["cbor" as const] : [])],
    callWebhook,
    findService,
    aggregated: createAggregatedApis({ store, clock, findService, callApi: options.callApi ?? fetchApiCaller, closed }),
    random,
    // UIDs have to differ, not to be unpredictable, and the first use of Node's `crypto` costs milliseconds.
    uuid: () => randomUuid(random),
    suffix: () => randomSuffix(random),
    fieldManagement: createFieldManagement(resources),
    admission: [
      createEscalationCheck(authorizer, rbac),
      paramRights,
      ...chooseAdmissionPlugins(options),
      ...(options.admission ?? []).map(checkedPlugin),
    ],
    reportError(error) {
      try {
        handleRejection(options.onError?.(error));
      } catch {
        // An exception of the error callback itself can't be reported anywhere.
      }
    },
    closed,
  };
}
