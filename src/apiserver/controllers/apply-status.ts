import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import type { RegistryContext } from "../registry/services.js";
import { updateObject } from "../registry/write/update.js";

/** Applies the status of a cluster-scoped object, as the field manager `manager`. */
export async function applyStatus(
  context: RegistryContext,
  resource: ServedResource,
  { name, status, manager }: { readonly name: string; readonly status: object; readonly manager: string },
): Promise<void> {
  const { fieldManagement, clock } = context.services;
  const config = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name }, status };
  const apply = { resource, config, manager, force: true, subresource: "status" };
  await updateObject(context, {
    resource,
    namespace: "",
    name,
    subresource: "status",
    unconditional: true,
    managed: true,
    options: { dryRun: false, manager },
    transform: (live) => fieldManagement.apply({ ...apply, live, nowMs: clock.now() }),
  });
}
