/** User in an audit event. */
export interface AuditedUser {
  /** Name of the user. */
  readonly username?: string | undefined;
  /** Groups of the user. */
  readonly groups?: readonly string[] | undefined;
  /** UID of the user. */
  readonly uid?: string | undefined;
  /** Further attributes of the user. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Fields of an audit event that `planRbac` reads: an `Event` of `audit.k8s.io/v1` at any level. */
export interface AuditedRequest {
  /** Identifies the request: the same in all its events. */
  readonly auditID?: string | undefined;
  /** Path and query. */
  readonly requestURI?: string | undefined;
  /** Verb, such as `get`; for non-resource requests the method in lower case. */
  readonly verb?: string | undefined;
  /** Authenticated user. */
  readonly user?: AuditedUser | undefined;
  /** Impersonated user. */
  readonly impersonatedUser?: AuditedUser | undefined;
  /** Target of the request. */
  readonly objectRef?:
    | {
        readonly resource?: string | undefined;
        readonly namespace?: string | undefined;
        readonly name?: string | undefined;
        readonly apiGroup?: string | undefined;
        readonly subresource?: string | undefined;
      }
    | undefined;
  /** Outcome of the request. */
  readonly responseStatus?: { readonly code?: number | undefined } | undefined;
}

/** Right that a request needs. */
export interface NeededRight {
  /** Namespace; `undefined` for cluster-scoped objects, all namespaces and paths. */
  readonly namespace: string | undefined;
  readonly verb: string;
  /** API group, resource with subresource, and name; or a path outside of the API. */
  readonly target:
    | { readonly group: string; readonly resource: string; readonly name: string | undefined }
    | { readonly path: string };
}

/** Resources that every authenticated user may create, by `system:basic-user`. */
const basic = new Set(["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"]);
/** Paths that every authenticated user may read, by `system:discovery`. */
const discovery = /^\/(?:api|apis|openapi)(?:\/|$)|^\/(?:healthz|livez|readyz|version)\/?$/;

/** Returns the rights that the user needs for a request, without those that every authenticated user has. */
export function rightsOf(request: AuditedRequest): NeededRight[] {
  const { objectRef, responseStatus, verb = "" } = request;
  if (objectRef?.resource === undefined || objectRef.resource === "") {
    const path = pathOf(request);
    return path === undefined || (discovery.test(path) && verb === "get")
      ? []
      : [{ namespace: undefined, verb, target: { path } }];
  }
  const { resource: plural, subresource = "", apiGroup: group = "", name } = objectRef;
  if (verb === "create" && basic.has(plural) && /^auth(?:entication|orization)\.k8s\.io$/.test(group)) return [];
  const resource = subresource === "" ? plural : `${plural}/${subresource}`;
  // The API server counts a Namespace as being in itself. A Role there could never allow a list of them.
  const namespace = plural === "namespaces" || objectRef.namespace === "" ? undefined : objectRef.namespace;
  const right = (each: string, named = name): NeededRight => ({
    namespace,
    verb: each,
    target: { group, resource, name: each === "create" || named === "" ? undefined : named },
  });
  // An apply or an update of an object that doesn't exist creates it.
  const creates = responseStatus?.code === 201 && (verb === "patch" || verb === "update");
  return creates ? [right(verb), right("create")] : [right(verb)];
}

/** Returns the rights that a user needs to act as another one. */
export function impersonationRights({ impersonatedUser = {} }: AuditedRequest): NeededRight[] {
  const { username = "", groups = [], uid = "", extra = {} } = impersonatedUser;
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  const right = (group: string, resource: string, name: string): NeededRight => ({
    namespace: undefined,
    verb: "impersonate",
    target: { group, resource, name },
  });
  // The server adds these by itself.
  const implied = [
    "system:authenticated",
    "system:unauthenticated",
    ...(namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]),
  ];
  return [
    account === undefined ? right("", "users", username) : { ...right("", "serviceaccounts", account), namespace },
    ...groups.filter((group) => !implied.includes(group)).map((group) => right("", "groups", group)),
    ...(uid === "" ? [] : [right(authentication, "uids", uid)]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => right(authentication, `userextras/${key}`, value)),
    ),
  ];
}

const authentication = "authentication.k8s.io";

function pathOf({ requestURI }: AuditedRequest): string | undefined {
  return requestURI?.split("?")[0];
}
