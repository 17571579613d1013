import type { DeviceClass } from "../../../kinds/resource/v1.js";
import { invalid } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { ageOnly } from "../shared/kind-printer.js";
import { isExtendedResource } from "../shared/resource-names.js";
import { mostRequests, opaqueErrors, selectorsErrors } from "./claim-errors.js";
import { setErrors } from "./device-errors.js";

export const deviceClass: KindDefinition = defineBuiltin<DeviceClass>({
  resource: "resource.k8s.io/deviceclasses",
  generation: { counts: "fromOne" },
  metadata: { checksOnUpdate: 2, anyPrefix: true },
  deletion: { returnsObject: true },
  validate: {
    create({ spec }) {
      const name = spec?.extendedResourceName;
      return [
        ...selectorsErrors(spec?.selectors, "spec.selectors"),
        ...setErrors(spec?.config, { most: mostRequests }, "spec.config", opaqueErrors),
        ...(name === undefined || isExtendedResource(name)
          ? []
          : [invalid("spec.extendedResourceName", name, "must be a valid extended resource name")]),
      ];
    },
    checksEnums: true,
  },
  printer: ageOnly,
});
