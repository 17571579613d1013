import { utf8Encode } from "../../../internal/bytes.js";
import type { ConfigMap } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { invalid, tooLong } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { decodedLength, frozenErrors, keyErrors, mostData } from "./data-errors.js";

function validate({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const size = utf8Encode(Object.values(data).join("")).length + decodedLength(binaryData);
  return [
    ...keyErrors("data", data),
    ...keyErrors("binaryData", binaryData),
    ...Object.keys(data)
      .filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
    ...(size > mostData ? [tooLong("[]", mostData)] : []),
  ];
}

export const configMap: KindDefinition = defineBuiltin<ConfigMap>({
  resource: "/configmaps",
  metadata: { checksOnUpdate: 2 },
  defaults: {
    "io.k8s.api.core.v1.ConfigMap": (map: ConfigMap) => {
      map.data ??= {};
    },
  },
  validate: {
    create: validate,
    update: (map, old) => [...frozenErrors(map, old, ["data", "binaryData"]), ...validate(map)],
  },
  printer: {
    columns: "Data,Age",
    cells: ({ data = {}, binaryData = {} }, age) => [Object.keys(data).length + Object.keys(binaryData).length, age],
  },
});
