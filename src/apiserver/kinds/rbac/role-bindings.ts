import type { RoleBinding, Subject } from "../../../kinds/rbac/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { notSupported, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import type { StructHook } from "../shared/walk-structs.js";

const rbacGroup = "rbac.authorization.k8s.io";

const printer: KindPrinter<RoleBinding> = {
  columns: "Role,Age,Users*,Groups*,ServiceAccounts*",
  cells({ roleRef, subjects = [] }, age) {
    const names = (kind: string): string =>
      subjects
        .filter((each) => each.kind === kind)
        .map((each) => (kind === "ServiceAccount" ? `${each.namespace ?? ""}/${each.name}` : each.name))
        .join(", ");
    return [`${roleRef.kind}/${roleRef.name}`, age, names("User"), names("Group"), names("ServiceAccount")];
  },
};

function subjectErrors(subject: Subject, at: string, namespaced: boolean): FieldError[] {
  const { kind, name, apiGroup = "", namespace = "" } = subject;
  const errors = name === "" ? [required(`${at}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      return [
        ...errors,
        ...check.optionalText(`${at}.name`, name, check.dnsSubdomain),
        ...check.oneOf(`${at}.apiGroup`, apiGroup, [""]),
        ...(!namespaced && namespace === "" ? [required(`${at}.namespace`)] : []),
      ];
    case "User":
    case "Group":
      return [...errors, ...check.oneOf(`${at}.apiGroup`, apiGroup, [rbacGroup])];
    default:
      return [...errors, notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}

function define(resource: string, struct: string, roles: readonly string[]): KindDefinition {
  const namespaced = roles.includes("Role");
  const validate = ({ roleRef, subjects }: RoleBinding): FieldError[] => [
    ...check.oneOf("roleRef.apiGroup", roleRef.apiGroup, [rbacGroup]),
    ...check.oneOf("roleRef.kind", roleRef.kind, roles),
    ...check.requiredText("roleRef.name", roleRef.name, check.pathSegment),
    ...check.eachItem(subjects, "subjects", (subject, at) => subjectErrors(subject, at, namespaced)),
  ];
  const fillRoleRef: StructHook = (binding: Partial<RoleBinding>) => {
    if (binding.roleRef !== undefined) binding.roleRef.apiGroup ||= rbacGroup;
  };
  return defineBuiltin<RoleBinding>({
    resource: `${rbacGroup}/${resource}`,
    createOnUpdate: true,
    metadata: { name: "pathSegment", checksOnUpdate: 2 },
    defaults: {
      [`io.k8s.api.rbac.v1.${struct}`]: fillRoleRef,
      "io.k8s.api.rbac.v1.Subject": (subject: Subject) => {
        if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
      },
    },
    validate: {
      create: validate,
      update: (binding, old) => [...validate(binding), ...check.immutable("roleRef", binding.roleRef, old.roleRef)],
    },
    printer,
  });
}

export const roleBinding: KindDefinition = define("rolebindings", "RoleBinding", ["Role", "ClusterRole"]);

export const clusterRoleBinding: KindDefinition = define("clusterrolebindings", "ClusterRoleBinding", ["ClusterRole"]);
