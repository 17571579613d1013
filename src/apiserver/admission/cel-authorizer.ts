import { CelError, CelOpaque, type CelValue } from "../cel/values/values.js";
import type { UserInfo } from "../http/user-info.js";
import { nameErrors } from "../objects/validate-metadata.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { resourceAttributes } from "../rbac/attributes.js";
import type { Decision } from "../rbac/authorizer.js";

/** Context for checks of a caller's rights. */
interface Caller {
  readonly decide: (attributes: AuthorizationAttributes) => Decision;
  readonly user: UserInfo;
}

/** Resource whose access is checked. */
interface Target {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

type Methods = Readonly<Record<string, (first: CelValue | undefined, second: CelValue | undefined) => CelValue>>;

/** A value that has only methods and isn't comparable. */
class Opaque extends CelOpaque {
  readonly typeName: string;
  readonly #methods: Methods;

  constructor(type: string, methods: Methods) {
    super();
    this.typeName = `kubernetes.authorization.${type}`;
    this.#methods = methods;
  }

  call(method: string, [first, second]: readonly CelValue[]): CelValue | undefined {
    return Object.hasOwn(this.#methods, method) ? this.#methods[method]!(first, second) : undefined;
  }

  equals(): boolean {
    return false;
  }
}

function text(value: CelValue | undefined): string {
  if (typeof value !== "string") throw new CelError("no such overload");
  return value;
}

function filledText(value: CelValue | undefined, name: string): string {
  if (text(value).trim() === "") throw new CelError(`${name} must not be empty`);
  return text(value);
}

/** Creates the CEL variable `authorizer`, which checks the caller's rights. */
export function authorizerValue(caller: Caller): CelValue {
  return new Opaque("Authorizer", {
    path: (path) => pathCheck(caller, filledText(path, "path")),
    group: (group) => groupCheck(caller, text(group)),
    serviceAccount(namespace, name) {
      const user = serviceAccount(text(namespace), text(name));
      return authorizerValue({ ...caller, user });
    },
  });
}

function serviceAccount(namespace: string, name: string): UserInfo {
  if (nameErrors(name, "subdomain").length > 0) throw new CelError("Invalid service account name");
  if (nameErrors(namespace, "label").length > 0) throw new CelError("Invalid service account namespace");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return { name: `system:serviceaccount:${namespace}:${name}`, uid: "", groups, extra: {} };
}

function pathCheck({ decide, user }: Caller, path: string): CelValue {
  return new Opaque("PathCheck", {
    check(verb) {
      const attributes = resourceAttributes(user, text(verb), { resource: "" });
      return decision(decide({ ...attributes, isResource: false, version: "", path }));
    },
  });
}

function groupCheck(caller: Caller, group: string): CelValue {
  return new Opaque("GroupCheck", {
    resource(name) {
      const resource = filledText(name, "resource");
      return resourceCheck(caller, { group, resource, subresource: "", namespace: "", name: "" });
    },
  });
}

/** Creates a check of the caller's rights to a resource. */
export function resourceCheck(caller: Caller, target: Target): CelValue {
  const { decide, user } = caller;
  return new Opaque("ResourceCheck", {
    subresource: (subresource) => resourceCheck(caller, { ...target, subresource: text(subresource) }),
    namespace: (namespace) => resourceCheck(caller, { ...target, namespace: text(namespace) }),
    name: (name) => resourceCheck(caller, { ...target, name: text(name) }),
    // Selectors narrow the request; RBAC ignores them.
    fieldSelector: () => resourceCheck(caller, target),
    labelSelector: () => resourceCheck(caller, target),
    check: (verb) => decision(decide(resourceAttributes(user, text(verb), target))),
  });
}

function decision({ allowed, reason, error }: Decision): CelValue {
  return new Opaque("Decision", {
    allowed: () => allowed,
    reason: () => reason,
    errored: () => error !== undefined,
    error: () => error ?? "",
  });
}
