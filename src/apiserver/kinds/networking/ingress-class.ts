import type { IngressClass, IngressClassParametersReference } from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden, notSupported, required, tooLong } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { referenceErrors } from "./object-reference.js";

const mostController = 250;
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

function validate({ spec = {} }: IngressClass): FieldError[] {
  const { controller = "", parameters } = spec;
  return [
    ...(controller.length > mostController ? [tooLong("spec.controller", mostController)] : []),
    ...check.domainPath("spec.controller", controller),
    ...(parameters === undefined ? [] : parameterErrors(parameters, "spec.parameters")),
  ];
}

function parameterErrors(parameters: IngressClassParametersReference, at: string): FieldError[] {
  const errors = referenceErrors(parameters, at);
  const { scope, namespace } = parameters;
  const field = `${at}.namespace`;
  switch (scope) {
    case undefined:
      return [...errors, required(`${at}.scope`)];
    case "Cluster":
      return namespace === undefined ? errors : [...errors, forbidden(field, "`parameters.scope` is set to 'Cluster'")];
    case "Namespace":
      return [...errors, ...(namespace === undefined ? [required(field)] : check.dnsLabel(field, namespace))];
    default:
      return [...errors, notSupported(`${at}.scope`, scope, ["Cluster", "Namespace"])];
  }
}

export const ingressClass: KindDefinition = defineBuiltin<IngressClass>({
  resource: "networking.k8s.io/ingressclasses",
  generation: { counts: "fromOne" },
  metadata: { checksOnUpdate: 2 },
  defaults: {
    "io.k8s.api.networking.v1.IngressClass": ({ spec }: IngressClass) => {
      if (spec?.parameters !== undefined) spec.parameters.scope ??= "Cluster";
    },
  },
  validate: {
    create: validate,
    update: (each, old) => [
      ...check.immutable("spec.controller", each.spec?.controller ?? "", old.spec?.controller),
      ...validate(each),
    ],
  },
  printer: {
    columns: "Controller,Parameters,Age",
    name: ({ metadata: { name = "", annotations = {} } = {} }) =>
      annotations[defaultAnnotation] === "true" ? `${name} (default)` : name,
    cells({ spec }, age) {
      const { kind, apiGroup, name } = spec?.parameters ?? {};
      const parameters =
        kind === undefined ? "<none>" : `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
      return [spec?.controller ?? "", parameters, age];
    },
  },
});
