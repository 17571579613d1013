import type { DeviceTaintRule } from "../../../kinds/resource/v1beta2.js";
import type { FieldError } from "../../errors/field-error.js";
import { formatTime } from "../../objects/metadata.js";
import * as check from "../shared/checks.js";
import { tooMany } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { allMetadata } from "../shared/metadata-rules.js";
import { formatAge } from "../shared/print-age.js";
import { conditionsErrors } from "../shared/selectors.js";
import type { StructHooks } from "../shared/walk-structs.js";
import { driverErrors, poolErrors, taintErrors } from "./device-errors.js";

const mostConditions = 8;

function validate({ spec }: DeviceTaintRule, old?: DeviceTaintRule): FieldError[] {
  const { driver, pool, device } = spec?.deviceSelector ?? {};
  return [
    ...(driver === undefined ? [] : driverErrors("spec.deviceSelector.driver", driver)),
    ...(pool === undefined ? [] : poolErrors("spec.deviceSelector.pool", pool)),
    ...(device === undefined ? [] : check.dnsLabel("spec.deviceSelector.device", device)),
    ...taintErrors(spec?.taint ?? {}, old?.spec?.taint, "spec.taint"),
  ];
}

/** Sets the time on new taints in all versions. */
const taintDefaults: StructHooks = Object.fromEntries(
  ["v1", "v1beta2", "v1beta1", "v1alpha3"].map((version) => [
    `io.k8s.api.resource.${version}.DeviceTaint`,
    (taint: { timeAdded?: string | undefined }, nowMs: number) => {
      taint.timeAdded ??= formatTime(nowMs);
    },
  ]),
);

export const deviceTaintRule: KindDefinition = defineBuiltin<DeviceTaintRule>({
  resource: "resource.k8s.io/devicetaintrules",
  generation: { counts: "fromOne" },
  metadata: { keptByStatus: allMetadata },
  statusTables: false,
  deletion: { returnsObject: true },
  defaults: taintDefaults,
  prepare: {
    create: dropStatus,
    // The time records since when the taint has had its effect.
    update({ spec }, old, { nowMs }) {
      const taint = (spec as typeof spec | undefined)?.taint;
      const before = (old.spec as typeof spec | undefined)?.taint;
      if (taint === undefined) return;
      if (taint.effect !== before?.effect && taint.timeAdded === before?.timeAdded) taint.timeAdded = formatTime(nowMs);
    },
  },
  validate: {
    create: (rule) => validate(rule),
    update: validate,
    status({ status: { conditions = [] } = {} }) {
      const errors = conditionsErrors(conditions, "status.conditions");
      return conditions.length > mostConditions
        ? [...errors, tooMany("status.conditions", conditions.length, mostConditions)]
        : errors;
    },
    checksEnums: true,
  },
  printer: {
    columns: "Key,Value,Effect,TimeAdded,Age",
    cells: ({ spec: { taint } }, age, nowMs) => [
      taint.key,
      taint.value ?? "",
      taint.effect,
      formatAge(taint.timeAdded, nowMs),
      age,
    ],
  },
});
