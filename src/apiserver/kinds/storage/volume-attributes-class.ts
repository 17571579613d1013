import type { VolumeAttributesClass } from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { provisionerErrors, requiredParameters } from "./parameters.js";

function validate({ driverName, parameters }: VolumeAttributesClass): FieldError[] {
  return [...provisionerErrors("driverName", driverName), ...requiredParameters(parameters)];
}

export const volumeAttributesClass: KindDefinition = defineBuiltin<VolumeAttributesClass>({
  resource: "storage.k8s.io/volumeattributesclasses",
  metadata: { checksOnUpdate: 2 },
  deletion: { returnsObject: true },
  validate: {
    create: validate,
    update: (each, old) => [
      ...(["driverName", "parameters"] as const)
        .filter((key) => !check.sameValue(each[key], old[key]))
        .map((key) => forbidden(key, `updates to ${key} are forbidden.`)),
      ...validate(each),
    ],
  },
  printer: { columns: "DriverName,Age", cells: ({ driverName }, age) => [driverName, age] },
});
