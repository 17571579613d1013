import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AuthorizationAttributes } from "./attributes.js";
import type { PolicyRule } from "./policy-rule.js";
import { ruleAllows } from "./policy-rule.js";

/** Resources that RBAC reads. */
export type RbacResource = "roles" | "rolebindings" | "clusterroles" | "clusterrolebindings";

/** Reads the stored RBAC objects. */
export interface RbacSource {
  /** Returns a value that changes with every write to the resource. */
  version(resource: RbacResource): unknown;
  /** Returns all objects of the resource. They are shared; don't modify them. */
  list(resource: RbacResource): Iterable<ApiObject>;
}

/** Reference to the role that a binding grants. */
export interface RoleRef {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
}

/** Result of an authorization check. */
export interface Decision {
  /** True if the action is allowed. */
  readonly allowed: boolean;
  /** True if later authorizers must not allow the action. Default: false, and the next authorizer decides. */
  readonly denied?: boolean | undefined;
  /** Reason for the decision; may be `""`. */
  readonly reason: string;
  /** Error that kept the authorizer from deciding. If no authorizer allows the action, the request fails with 500. */
  readonly error?: string | undefined;
}

/** Rules that apply to a user. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Error that made the list incomplete. */
  readonly error?: string | undefined;
  /** True if the user may have further rights that can't be listed. */
  readonly incomplete?: boolean | undefined;
}

/** Decides which actions users are allowed. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision>;
  /** Returns the rules that apply to a user in a namespace (`""`: only cluster-wide ones). */
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

/** Resolves the stored roles and bindings. */
export interface RoleResolver {
  /**
   * Returns the rules that apply to a user in a namespace (`""`: only cluster-wide ones). `missing` lists roles that
   * are bound but don't exist.
   */
  grantedTo(
    user: UserInfo,
    namespace: string,
  ): { readonly rules: readonly PolicyRule[]; readonly missing: readonly RoleRef[] };
  /** Returns the rules of a role, or `undefined` if it doesn't exist. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
}

interface Binding {
  readonly name: string;
  readonly namespace: string;
  readonly subjects: readonly Subject[];
  readonly role: RoleRef;
}

/** Caches a value derived from the objects of one resource until one of them changes. */
function derived<T>(source: RbacSource, resource: RbacResource, make: (objects: Iterable<ApiObject>) => T): () => T {
  let known: { version: unknown; value: T } | undefined;
  return () => {
    const version = source.version(resource);
    if (known?.version !== version) known = { version, value: make(source.list(resource)) };
    return known!.value;
  };
}

function rulesByName(objects: Iterable<ApiObject>): Map<string, readonly PolicyRule[]> {
  const rules = new Map<string, readonly PolicyRule[]>();
  for (const object of objects) {
    const { namespace, name } = object.metadata ?? {};
    rules.set(
      namespace === undefined ? name! : `${namespace}/${name!}`,
      (object["rules"] as PolicyRule[] | null | undefined) ?? [],
    );
  }
  return rules;
}

function toBinding(object: ApiObject): Binding {
  return {
    name: object.metadata?.name ?? "",
    namespace: object.metadata?.namespace ?? "",
    subjects: (object["subjects"] as Subject[] | undefined) ?? [],
    role: object["roleRef"] as RoleRef,
  };
}

function bindingsByNamespace(objects: Iterable<ApiObject>): Map<string, Binding[]> {
  const bindings = new Map<string, Binding[]>();
  for (const object of objects) {
    const binding = toBinding(object);
    const there = bindings.get(binding.namespace);
    if (there === undefined) bindings.set(binding.namespace, [binding]);
    else there.push(binding);
  }
  return bindings;
}

/**
 * Creates an authorizer that evaluates roles and bindings.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export function createRbacAuthorizer(source: RbacSource): Authorizer & RoleResolver {
  const roles = derived(source, "roles", rulesByName);
  const clusterRoles = derived(source, "clusterroles", rulesByName);
  const roleBindings = derived(source, "rolebindings", bindingsByNamespace);
  const clusterRoleBindings = derived(source, "clusterrolebindings", bindingsByNamespace);

  const rulesOf = (role: RoleRef, namespace: string): readonly PolicyRule[] | undefined =>
    role.kind === "ClusterRole" ? clusterRoles().get(role.name) : roles().get(`${namespace}/${role.name}`);

  /**
   * Visits the rules that apply to a user until `visit` returns true. Collects bound but missing roles in `missing`.
   */
  const visitRules = (
    user: UserInfo,
    namespace: string,
    visit: (rule: PolicyRule, binding: Binding) => boolean,
    missing: RoleRef[],
  ): boolean => {
    const scopes = [clusterRoleBindings().get("") ?? [], namespace === "" ? [] : (roleBindings().get(namespace) ?? [])];
    for (const binding of scopes.flat()) {
      if (!binding.subjects.some((candidate) => isSubject(candidate, user, binding.namespace))) continue;
      const rules = rulesOf(binding.role, binding.namespace);
      if (rules === undefined) {
        missing.push(binding.role);
        continue;
      }
      if (rules.some((rule) => visit(rule, binding))) return true;
    }
    return false;
  };

  const grantedTo: RoleResolver["grantedTo"] = (user, namespace) => {
    const rules: PolicyRule[] = [];
    const missing: RoleRef[] = [];
    visitRules(
      user,
      namespace,
      (rule) => {
        rules.push(rule);
        return false;
      },
      missing,
    );
    return { rules, missing };
  };

  return {
    authorize(action) {
      let reason = "";
      const missing: RoleRef[] = [];
      const allowed = visitRules(
        action.user,
        action.namespace,
        (rule, binding) => {
          if (!ruleAllows(rule, action)) return false;
          reason = `RBAC: allowed by ${binding.namespace === "" ? "ClusterRoleBinding" : "RoleBinding"} ${JSON.stringify(binding.name)}`;
          return true;
        },
        missing,
      );
      if (!allowed && missing.length > 0) reason = `RBAC: ${missingText(missing)}`;
      return { allowed, reason };
    },
    rulesFor(user, namespace) {
      const { rules, missing } = grantedTo(user, namespace);
      return missing.length === 0 ? { rules } : { rules, error: missingText(missing) };
    },
    grantedTo,
    rulesOf,
  };
}

/** Returns a text that lists bound but missing roles once each, or `""`. `resource` overrides the resource name. */
export function missingText(missing: readonly RoleRef[], resource?: string): string {
  const each = [
    ...new Set(
      missing.map(
        ({ kind, name }) =>
          `${resource ?? kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`,
      ),
    ),
  ];
  return each.length > 1 ? `[${each.join(", ")}]` : (each[0] ?? "");
}

function isSubject(subject: Subject, user: UserInfo, namespace: string): boolean {
  if (subject.kind === "User") return user.name === subject.name;
  if (subject.kind === "Group") return user.groups.includes(subject.name);
  if (subject.kind !== "ServiceAccount") return false;
  const home = subject.namespace ?? namespace;
  return home !== "" && user.name === `system:serviceaccount:${home}:${subject.name}`;
}
