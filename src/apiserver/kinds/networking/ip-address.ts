import type { IPAddress, ParentReference } from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

function validate({ spec }: IPAddress): FieldError[] {
  const at = "spec.parentRef";
  const parent = (spec?.parentRef as Partial<ParentReference> | null | undefined) ?? undefined;
  if (parent === undefined) return [required(at)];
  return [
    ...check.optionalText(`${at}.group`, parent.group, check.dnsSubdomain),
    ...check.requiredText(`${at}.resource`, parent.resource, check.pathSegment),
    ...check.requiredText(`${at}.name`, parent.name, check.pathSegment),
    ...check.optionalText(`${at}.namespace`, parent.namespace, check.pathSegment),
  ];
}

export const ipAddress: KindDefinition = defineBuiltin<IPAddress>({
  resource: "networking.k8s.io/ipaddresses",
  metadata: { name: "address", checksOnUpdate: 2 },
  validate: {
    create: validate,
    update: (address, old) => [
      ...validate(address),
      ...check.immutable("spec.parentRef", address.spec?.parentRef, old.spec?.parentRef),
    ],
  },
  // kube-apiserver prints the age without a heading.
  printer: {
    columns: "ParentRef",
    cells({ spec }, age) {
      if (spec?.parentRef === undefined) return ["<none>", age];
      const { group = "", resource, namespace = "", name } = spec.parentRef;
      const plural = (group === "" ? resource : `${resource}.${group}`).toLowerCase();
      return [(namespace === "" ? [plural, name] : [plural, namespace, name]).join("/"), age];
    },
  },
});
