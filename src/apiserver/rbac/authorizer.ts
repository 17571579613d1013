import type { UserInfo } from "../http/user-info.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AuthorizationAttributes } from "./attributes.js";
import { MASTERS } from "./attributes.js";
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
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

/** Result of an authorization check. */
export interface Decision {
  readonly allowed: boolean;
  /** Reason for the decision; may be `""`. */
  readonly reason: string;
}

/** Decides which actions users are allowed. */
export interface Authorizer {
  authorize(attributes: AuthorizationAttributes): Decision;
  /**
   * Returns the rules that apply to a user in a namespace (`""`: only cluster-wide ones). The implicit rights of
   * `system:masters` aren't included. `missing` lists roles that are bound but don't exist.
   */
  rulesFor(
    user: UserInfo,
    namespace: string,
  ): { readonly rules: readonly PolicyRule[]; readonly missing: readonly RoleRef[] };
  /** Returns the rules of a role, or `undefined` if it doesn't exist. */
  rulesOf(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

/** Authorizer that allows everything. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ allowed: true, reason: "" }),
  rulesFor: () => ({ rules: [everything, everyPath], missing: [] }),
  rulesOf: () => [],
};

const everything: PolicyRule = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
const everyPath: PolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
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
 * Creates an authorizer that evaluates roles and bindings. Members of `system:masters` are allowed everything.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export function createRbacAuthorizer(source: RbacSource): Authorizer {
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

  return {
    authorize(action) {
      if (action.user.groups.includes(MASTERS)) return { allowed: true, reason: "" };
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
    },
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
