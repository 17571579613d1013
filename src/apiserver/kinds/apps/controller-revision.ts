import type { ControllerRevision } from "../../../kinds/apps/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

function validate({ revision, data }: ControllerRevision): FieldError[] {
  const given: unknown = data;
  return [
    ...check.nonNegative("revision", revision),
    ...(typeof given === "object" && given !== null && !Array.isArray(given)
      ? []
      : [required("data", "must be a JSON object")]),
  ];
}

export const controllerRevision: KindDefinition = defineBuiltin<ControllerRevision>({
  resource: "apps/controllerrevisions",
  metadata: { checksOnUpdate: 2 },
  validate: {
    create: validate,
    update: ({ revision, data }, old) => [
      ...check.nonNegative("revision", revision),
      ...check.immutable("data", data, old.data),
    ],
  },
  printer: {
    columns: "Controller,Revision,Age",
    cells: ({ metadata, revision }, age) => {
      const owner = metadata?.ownerReferences?.find((each) => each.controller === true);
      const group = owner?.apiVersion.includes("/") === true ? `.${owner.apiVersion.split("/")[0] ?? ""}` : "";
      return [owner === undefined ? "<none>" : `${owner.kind.toLowerCase()}${group}/${owner.name}`, revision, age];
    },
  },
});
