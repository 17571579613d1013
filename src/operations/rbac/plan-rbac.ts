import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../../kinds/rbac/v1.js";
import { type AuditedRequest, impersonationRights, type NeededRight, rightsOf } from "./audited-request.js";
import { mergeRules } from "./merge-rules.js";

/** Options for `planRbac`. */
export interface RbacPlanOptions {
  /** Name of the roles and bindings. */
  readonly name: string;
  /**
   * User whose requests count, such as `jane` or `system:serviceaccount:shop:operator`. Required if the events are of
   * several users, apart from those of the control plane.
   */
  readonly user?: string | undefined;
  /**
   * `namespaced` (default) makes a Role for each namespace, and a ClusterRole for requests without one. `cluster` makes a
   * single ClusterRole for all namespaces, which suits a program that was tested in one of them.
   */
  readonly scope?: "namespaced" | "cluster" | undefined;
  /**
   * Resources whose rights are limited to the names of the objects, such as `secrets` or `deployments.apps`; `"*"` for all.
   * Default: none, because names in tests are often arbitrary.
   */
  readonly resourceNames?: readonly string[] | undefined;
  /** ServiceAccount that gets the roles: adds bindings. Default: no bindings. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Roles that allow the audited requests. */
export interface RbacPlan {
  /** Roles and bindings, for `applyManifests` or `formatManifests`. */
  readonly objects: readonly (
    | (ClusterRole & { readonly apiVersion: "rbac.authorization.k8s.io/v1"; readonly kind: "ClusterRole" })
    | (Role & { readonly apiVersion: "rbac.authorization.k8s.io/v1"; readonly kind: "Role" })
    | (ClusterRoleBinding & {
        readonly apiVersion: "rbac.authorization.k8s.io/v1";
        readonly kind: "ClusterRoleBinding";
      })
    | (RoleBinding & { readonly apiVersion: "rbac.authorization.k8s.io/v1"; readonly kind: "RoleBinding" })
  )[];
  /** User whose requests were counted. */
  readonly user: string;
  /** Number of requests. */
  readonly requests: number;
  /** Remarks for people: rights that no audit can show, and the number of forbidden requests. */
  readonly notes: readonly string[];
}

const apiVersion = "rbac.authorization.k8s.io/v1";

/**
 * Returns the least roles that allow all audited requests of a user, also those that were forbidden. Run the tests of a
 * program with an audit, such as the embedded server's, and give the program these roles. Discovery and reviews of
 * one's own access are left out, because every authenticated user may do that.
 *
 * Throws a `TypeError` without a request, or if the user isn't clear.
 *
 * @example
 * ```ts
 * import { createClient, handlerTransport } from "kubestream";
 * import { createApiServer } from "kubestream/apiserver";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { formatManifests } from "kubestream/manifests";
 * import { type AuditedRequest, planRbac } from "kubestream/operations";
 *
 * const events: AuditedRequest[] = [];
 * const policy = { rules: [{ level: "Metadata" }], omitStages: ["RequestReceived"] } as const;
 * const server = createApiServer({ audit: { policy, sink: (event) => events.push(event) } });
 * const client = createClient({ transport: handlerTransport(server.handle) });
 * await client.resource(ConfigMap).namespace("default").list();
 * const { objects } = planRbac(events, { name: "reader" });
 * console.log(formatManifests(objects));
 * ```
 */
export function planRbac(events: Iterable<AuditedRequest>, options: RbacPlanOptions): RbacPlan {
  const requests = distinct(events);
  const user = options.user ?? onlyUser(requests);
  const counted = requests.filter((request) => nameOf(request) === user);
  if (counted.length === 0)
    throw new TypeError(`the audit has no request of user ${JSON.stringify(user)}; it has: ${listUsers(requests)}`);
  const acting = requests.filter(
    (request) => request.impersonatedUser !== undefined && request.user?.username === user,
  );
  const rights = [...counted.flatMap(rightsOf), ...acting.flatMap(impersonationRights)].map((right) =>
    withScope(withName(right, options.resourceNames ?? []), options.scope ?? "namespaced"),
  );
  return {
    objects: objectsFor(rights, options),
    user,
    requests: counted.length,
    notes: [...forbiddenNote(counted), ...notesFor(rights)],
  };
}

/** Returns one event for each request: the last one, which has its outcome. */
function distinct(events: Iterable<AuditedRequest>): AuditedRequest[] {
  const byId = new Map<string, AuditedRequest>();
  let unnamed = 0;
  for (const event of events) {
    // Requests without a valid login need no right.
    if (event.responseStatus?.code === 401 && event.user?.username === undefined) continue;
    byId.set(event.auditID ?? `#${unnamed++}`, event);
  }
  return [...byId.values()];
}

function nameOf({ user, impersonatedUser }: AuditedRequest): string {
  return impersonatedUser?.username ?? user?.username ?? "";
}

/** Users of the control plane, which an audit of a real cluster is full of. */
const controlPlane = /^system:(?!serviceaccount:|anonymous$)|^system:serviceaccount:kube-system:/;

function onlyUser(requests: readonly AuditedRequest[]): string {
  const names = new Set(requests.map(nameOf).filter((name) => !controlPlane.test(name)));
  const [first] = names;
  if (first === undefined) throw new TypeError("the audit has no requests");
  if (names.size > 1)
    throw new TypeError(`the audit has requests of several users, so options.user is required: ${listUsers(requests)}`);
  return first;
}

function listUsers(requests: readonly AuditedRequest[]): string {
  const names = [...new Set(requests.map(nameOf))].sort();
  return `${names.slice(0, 10).join(", ")}${names.length > 10 ? ` and ${names.length - 10} others` : ""}`;
}

function withName(right: NeededRight, named: readonly string[]): NeededRight {
  const { target } = right;
  if ("path" in target || target.name === undefined || right.verb === "impersonate") return right;
  const [plural = ""] = target.resource.split("/");
  const isNamed = named.some((each) => each === "*" || each === plural || each === `${plural}.${target.group}`);
  return isNamed ? right : { ...right, target: { ...target, name: undefined } };
}

function withScope(right: NeededRight, scope: "namespaced" | "cluster"): NeededRight {
  return scope === "cluster" ? { ...right, namespace: undefined } : right;
}

function objectsFor(rights: readonly NeededRight[], options: RbacPlanOptions): RbacPlan["objects"] {
  const { name, serviceAccount } = options;
  const everywhere = rights.filter(({ namespace }) => namespace === undefined);
  const covered = new Set(everywhere.map(keyOf));
  const namespaces = [...new Set(rights.flatMap(({ namespace }) => namespace ?? []))].sort();
  const subjects = serviceAccount && [{ kind: "ServiceAccount", ...serviceAccount }];
  const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
  const objects: RbacPlan["objects"][number][] = [];
  if (everywhere.length > 0) {
    objects.push({ apiVersion, kind: "ClusterRole", metadata: { name }, rules: mergeRules(everywhere) });
    if (subjects)
      objects.push({
        apiVersion,
        kind: "ClusterRoleBinding",
        metadata: { name },
        roleRef: roleRef("ClusterRole"),
        subjects,
      });
  }
  for (const namespace of namespaces) {
    const own = rights.filter((right) => right.namespace === namespace && !covered.has(keyOf(right)));
    if (own.length === 0) continue;
    const metadata = { name, namespace };
    objects.push({ apiVersion, kind: "Role", metadata, rules: mergeRules(own) });
    if (subjects) objects.push({ apiVersion, kind: "RoleBinding", metadata, roleRef: roleRef("Role"), subjects });
  }
  return objects;
}

/** Identifies a right for all objects of a resource, or for one. */
function keyOf({ verb, target }: NeededRight): string {
  return JSON.stringify([verb, target]);
}

/** After a refusal a program sends other requests, and a refused apply doesn't show whether it had to create. */
function forbiddenNote(requests: readonly AuditedRequest[]): string[] {
  const count = requests.filter(({ responseStatus }) => responseStatus?.code === 403).length;
  return count === 0
    ? []
    : [`Requests that were forbidden: ${count}. Run the tests again with these roles, because others may follow.`];
}

function notesFor(rights: readonly NeededRight[]): string[] {
  const writes = (resource: RegExp, verbs: RegExp): boolean =>
    rights.some(({ verb, target }) => !("path" in target) && resource.test(target.resource) && verbs.test(verb));
  return [
    ...(writes(/^(?:cluster)?roles$/, /^(?:create|update|patch)$/)
      ? ["Writing roles needs all rights that they grant, or the verb escalate."]
      : []),
    ...(writes(/^(?:cluster)?rolebindings$/, /^(?:create|update|patch)$/)
      ? ["Writing bindings needs all rights of their role, or the verb bind."]
      : []),
    ...(writes(/^certificatesigningrequests\/(?:approval|status)$/, /./)
      ? ["Approving and signing certificates needs the verbs approve and sign on signers."]
      : []),
  ];
}
