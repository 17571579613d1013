import type { Service } from "../../../kinds/core/v1.js";
import { allocateService } from "../../kinds/core/service/allocate-service.js";
import type { StrategyContext } from "../../kinds/shared/strategy-context.js";
import { resourceAttributes } from "../../rbac/attributes.js";
import { synchronousDecisions } from "../../rbac/decisions.js";
import { forbiddenTo } from "../../rbac/refusal.js";
import type { RegistryContext } from "../services.js";
import { getStored } from "../stored-objects.js";

/** Returns the part of a request that strategies need. */
export function createStrategyContext(context: RegistryContext): StrategyContext {
  const { services } = context;
  const namespaceLabels = (name: string): Readonly<Record<string, string>> | undefined => {
    const namespace = getStored(services, "/namespaces", name);
    return namespace === undefined ? undefined : (namespace.metadata?.labels ?? {});
  };
  const { verb, resource, subresource, group, version, namespace } = context.info;
  const decide = synchronousDecisions(services.authorizer);
  const denied: StrategyContext["denied"] = (action) => {
    const wanted = resourceAttributes(context.user, action.verb, { group, version, resource, namespace, ...action });
    const { allowed, reason } = decide(wanted);
    return allowed ? undefined : forbiddenTo(wanted, reason).message;
  };
  let release: (() => void) | undefined;
  const allocate: StrategyContext["allocate"] = (service, old) => {
    const isDryRun = context.query.get("dryRun") === "All";
    release = allocateService(services.store, service as Service, old as Service | undefined, isDryRun);
  };
  return {
    nowMs: services.clock.now(),
    user: context.user,
    verb,
    subresource,
    denied,
    allocate,
    release: () => release?.(),
    uuid: services.uuid,
    namespaceLabels,
    warn: (text) => context.warn(text),
  };
}
