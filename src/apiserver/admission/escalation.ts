import { badRequest, failure, forbidden } from "../errors/status.js";
import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import { mastersGroup, resourceAttributes } from "../rbac/attributes.js";
import type { Authorizer, RoleRef, RoleResolver } from "../rbac/authorizer.js";
import { missingText } from "../rbac/authorizer.js";
import type { PolicyRule } from "../rbac/policy-rule.js";
import { missingRights } from "../rbac/policy-rule.js";
import type { AdmissionPlugin } from "../registry/services.js";

const rbacGroup = "rbac.authorization.k8s.io";

/**
 * Prevents users from granting more rights than they have, by roles or bindings.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
 */
export function createEscalationCheck(authorizer: Authorizer, roles: RoleResolver): AdmissionPlugin {
  return {
    name: "RBACEscalation",
    async admit({ operation, resource, subresource, namespace, name, object, old }, { user, info }) {
      if (resource.group !== rbacGroup || subresource !== "" || object === undefined) return;
      if (operation !== "CREATE" && operation !== "UPDATE") return;
      if (user.groups.includes(mastersGroup)) return;
      if (old !== undefined && onlyDeletionFields(object, old)) return;
      const target = { group: rbacGroup, resource: resource.resource };
      const wanted = await (resource.resource.endsWith("bindings")
        ? bound(object, target)
        : granted(object, old, target));
      if (wanted === undefined) return;
      const { rules: held, missing: unknown } = roles.grantedTo(user, namespace);
      const missing = missingRights(held, wanted);
      if (missing.length > 0)
        throw forbidden(
          target,
          object.metadata?.name ?? name,
          `${escalationText(user, missing)}${unknown.length === 0 ? "" : `; resolution errors: [${missingText(unknown, resource.resource)}]`}`,
        );

      async function granted(
        role: ApiObject,
        before: ApiObject | undefined,
        place: typeof target,
      ): Promise<readonly PolicyRule[] | undefined> {
        const rules = (role["rules"] as PolicyRule[] | null | undefined) ?? [];
        // The path of a POST has no name, so that rights to escalate a role by its name cover its creation only by an apply.
        const action = resourceAttributes(user, "escalate", { ...place, namespace, name: info.pathName });
        if ((await authorizer.authorize(action)).allowed) return undefined;
        // An aggregation rule can collect any rules, so writing one requires all rights.
        return [role, before].some(aggregates)
          ? [...rules, { verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, { verbs: ["*"], nonResourceURLs: ["*"] }]
          : rules;
      }

      async function bound(binding: ApiObject, place: typeof target): Promise<readonly PolicyRule[] | undefined> {
        const role = binding["roleRef"] as RoleRef;
        const action = resourceAttributes(user, "bind", {
          group: rbacGroup,
          resource: role.kind === "ClusterRole" ? "clusterroles" : "roles",
          namespace,
          name: role.name,
        });
        if ((await authorizer.authorize(action)).allowed) return undefined;
        if (role.name === "") throw badRequest("roleRef.name is required");
        const rules = roles.rulesOf(role, namespace);
        if (rules !== undefined) return rules;
        throw failure(404, "NotFound", `${place.resource}.${rbacGroup} ${JSON.stringify(role.name)} not found`, {
          name: role.name,
          group: rbacGroup,
          kind: place.resource,
        });
      }
    },
  };
}

function escalationText(user: UserInfo, missing: readonly PolicyRule[]): string {
  const rights = missing.map((right) => JSON.stringify(right));
  return `user ${JSON.stringify(user.name)} is attempting to grant RBAC permissions not currently held:\n${rights.join("\n")}`;
}

/** True if the change touches only fields that garbage collection sets to delete the object. */
function onlyDeletionFields(object: ApiObject, old: ApiObject): boolean {
  const strip = ({ metadata, ...rest }: ApiObject): string => {
    const {
      ownerReferences: _owners,
      finalizers: _finalizers,
      managedFields: _managed,
      resourceVersion: _version,
      ...kept
    } = metadata ?? {};
    return JSON.stringify([kept, rest]);
  };
  return strip(object) === strip(old);
}

function aggregates(role: ApiObject | undefined): boolean {
  const rule = role?.["aggregationRule"] as { clusterRoleSelectors?: readonly unknown[] | null } | undefined;
  return (rule?.clusterRoleSelectors?.length ?? 0) > 0;
}
