import type { AllocatedDeviceStatus, AllocationResult, ResourceClaim } from "../../../kinds/resource/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import type { UserInfo } from "../../http/user-info.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { forbidden, sameValue } from "../shared/field-errors.js";
import { sharedDevice } from "../shared-device.js";
import type { StrategyContext } from "../strategy.js";

type Status = NonNullable<ResourceClaim["status"]>;

const NODE = "authentication.kubernetes.io/node-name";

/**
 * Errors of a change of a claim's status by somebody who has no right to it. Who allocates needs one to `resourceclaims/binding`, who tells of the
 * devices of a driver one to `resourceclaims/driver` of its name, with verbs of their own for drivers on the claim's node and elsewhere.
 */
export function claimRightsErrors(status: Status, before: Status, about: StrategyContext | undefined): FieldError[] {
  const { denied, verb = "", user } = about ?? {};
  if (denied === undefined) return [];
  const errors: FieldError[] = [];
  if (!sameValue(status.allocation, before.allocation) || !sameValue(status.reservedFor, before.reservedFor)) {
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

/** The drivers whose devices are told of in another way than before. */
function changedDrivers({ devices = [] }: Status, { devices: before = [] }: Status): string[] {
  const keyOf = (device: AllocatedDeviceStatus): string => JSON.stringify(sharedDevice(device));
  const old = new Map(before.map((device) => [keyOf(device), device]));
  const changed = new Set<string>();
  for (const device of devices) {
    const known = old.get(keyOf(device));
    old.delete(keyOf(device));
    if (known === undefined || !sameValue(known, device)) changed.add(device.driver);
  }
  for (const { driver } of old.values()) changed.add(driver);
  return [...changed].sort();
}

/** The one node on which all of an allocation is, if it is only there. */
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

/** Whether somebody is a service account of a pod on a node. */
function runsOn({ name, extra }: UserInfo, node: string): boolean {
  if (!/^system:serviceaccount:[^:]+:[^:]+$/.test(name)) return false;
  const nodes = extra[NODE] ?? [];
  return nodes.length === 1 && nodes[0] === node && nameErrors(node, "subdomain").length === 0;
}
