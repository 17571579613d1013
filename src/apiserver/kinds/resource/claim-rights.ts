import type { AllocationResult, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import type { UserInfo } from "../../http/user-info.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { forbidden } from "../shared/field-errors.js";
import type { StrategyContext } from "../shared/strategy-context.js";
import { deviceKey } from "./shared-device.js";

type Status = NonNullable<ResourceClaim["status"]>;

const nodeNameExtra = "authentication.kubernetes.io/node-name";

/**
 * Returns the errors of a change to a claim's status that the user isn't allowed to make. Changing the allocation
 * requires access to `resourceclaims/binding`, changing devices to `resourceclaims/driver` with the driver's name. One
 * verb is for drivers on the claim's node, another for all others.
 */
export function claimRightsErrors(status: Status, before: Status, about: StrategyContext | undefined): FieldError[] {
  const { denied, verb = "", user } = about ?? {};
  if (denied === undefined) return [];
  const errors: FieldError[] = [];
  if (
    !check.sameValue(status.allocation, before.allocation) ||
    !check.sameValue(status.reservedFor, before.reservedFor)
  ) {
    const refused = denied({ verb, subresource: "binding", namespace: "", name: "" });
    if (refused !== undefined)
      errors.push(
        forbidden(
          "status.allocation",
          `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${refused}`,
        ),
      );
  }
  if (status.allocation === undefined) return errors;
  const node = nodeOf(status.allocation);
  const verbs = [
    ...(node !== undefined && user !== undefined && runsOn(user, node) ? [`associated-node:${verb}`] : []),
    `arbitrary-node:${verb}`,
  ];
  for (const driver of changedDrivers(status, before)) {
    const refusals = verbs.map((each) => denied({ verb: each, subresource: "driver", name: driver }));
    if (!refusals.includes(undefined))
      errors.push(
        forbidden(
          "status.devices",
          `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission: ${refusals[0]!}`,
        ),
      );
  }
  return errors;
}

/** Returns the drivers whose devices have a changed status. */
function changedDrivers({ devices = [] }: Status, { devices: before = [] }: Status): string[] {
  const old = new Map(before.map((device) => [deviceKey(device), device]));
  const changed = new Set<string>();
  for (const device of devices) {
    const known = old.get(deviceKey(device));
    old.delete(deviceKey(device));
    if (known === undefined || !check.sameValue(known, device)) changed.add(device.driver);
  }
  for (const { driver } of old.values()) changed.add(driver);
  return [...changed].sort();
}

/** Returns the node of an allocation that is on a single node. */
function nodeOf({ nodeSelector }: AllocationResult): string | undefined {
  const [term, ...others] = nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...more] = term?.matchFields ?? [];
  if (field === undefined || others.length > 0 || more.length > 0 || (term?.matchExpressions ?? []).length > 0)
    return undefined;
  const { key, operator, values = [] } = field;
  return key === "metadata.name" && operator === "In" && values.length === 1 && values[0] !== ""
    ? values[0]
    : undefined;
}

/** True if a user is the service account of a pod on a node. */
function runsOn({ name, extra }: UserInfo, node: string): boolean {
  if (!/^system:serviceaccount:[^:]+:[^:]+$/.test(name)) return false;
  const nodes = extra[nodeNameExtra] ?? [];
  return nodes.length === 1 && nodes[0] === node && nameErrors(node, "subdomain").length === 0;
}
