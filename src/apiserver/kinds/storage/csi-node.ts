import type { CSINode, CSINodeDriver } from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { groupBy } from "../../internal/group-by.js";
import { driverName } from "../core/volume/volume-errors.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

const mostNodeId = 256;

const drivers = (node: CSINode): readonly CSINodeDriver[] => node.spec.drivers ?? [];

function validate(node: CSINode): FieldError[] {
  const names = drivers(node).map(({ name }) => name);
  return [
    ...check.eachItem(drivers(node), "spec.drivers", driverErrors),
    ...check.duplicates(names, (index) => `spec.drivers[${String(index)}].name`),
  ];
}

function driverErrors({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver, at: string): FieldError[] {
  const keys = (topologyKeys as readonly string[] | null | undefined) ?? [];
  return [
    ...driverName(`${at}.name`, name),
    ...(nodeID === "" ? [required(`${at}.nodeID`)] : []),
    ...(nodeID.length > mostNodeId
      ? [invalid(`${at}.nodeID`, nodeID, `must be ${String(mostNodeId)} characters or less`)]
      : []),
    ...check.nonNegative(`${at}.allocatable.count`, allocatable?.count),
    // kube-apiserver names the driver, not the key.
    ...check.eachItem(keys, at, (key) => [...(key === "" ? [required(at)] : []), ...check.qualifiedName(at, key)]),
    ...check.duplicates(keys, () => at),
  ];
}

/** Returns an error for each driver with a change other than its allocatable amount. */
function changedDrivers(node: CSINode, old: CSINode): FieldError[] {
  const plain = ({ allocatable: _allocatable, ...rest }: CSINodeDriver): object => rest;
  const byName = groupBy(drivers(node), ({ name }) => name);
  return drivers(old).flatMap((before) =>
    (byName.get(before.name) ?? [])
      .filter((driver) => !check.sameValue(plain(driver), plain(before)))
      .map((driver) => invalid("spec.drivers", driver, "field is immutable")),
  );
}

export const csiNode: KindDefinition = defineBuiltin<CSINode>({
  resource: "storage.k8s.io/csinodes",
  requiresVersionOnUpdate: true,
  metadata: { checkedAsNew: "everywhere" },
  deletion: { returnsObject: true },
  validate: { create: validate, update: (node, old) => [...validate(node), ...changedDrivers(node, old)] },
  printer: { columns: "Drivers:integer,Age", cells: (node, age) => [drivers(node).length, age] },
});
