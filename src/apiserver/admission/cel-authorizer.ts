import { CelError, CelOpaque, type CelValue } from "../cel/values/values.js";
import type { UserInfo } from "../http/user-info.js";
import { nameErrors } from "../objects/validate-metadata.js";
import { resourceAttributes } from "../rbac/attributes.js";
import type { Authorizer } from "../rbac/authorizer.js";

/** Context for checks of a caller's rights. */
interface Caller {
  readonly authorizer: Authorizer;
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

/** A value without fields that isn't comparable. */
abstract class Opaque extends CelOpaque {
  equals(): boolean {
    return false;
  }
}

function text(value: CelValue | undefined): string {
  if (typeof value !== "string") throw new CelError("no such overload");
  return value;
}

/** The CEL variable `authorizer`, which checks the caller's rights. */
export class AuthorizerValue extends Opaque {
  readonly typeName = "kubernetes.authorization.Authorizer";
  readonly #caller: Caller;

  constructor(caller: Caller) {
    super();
    this.#caller = caller;
  }

  call(method: string, [first, second]: readonly CelValue[]): CelValue | undefined {
    switch (method) {
      case "path":
        if (text(first).trim() === "") throw new CelError("path must not be empty");
        return new PathCheck(this.#caller, text(first));
      case "group":
        return new GroupCheck(this.#caller, text(first));
      case "serviceAccount":
        return this.#serviceAccount(text(first), text(second));
      default:
        return undefined;
    }
  }

  /** Returns a check for the request's own resource. */
  of(target: Target): CelValue {
    return new ResourceCheck(this.#caller, target);
  }

  #serviceAccount(namespace: string, name: string): AuthorizerValue {
    if (nameErrors(name, "subdomain").length > 0) throw new CelError("Invalid service account name");
    if (nameErrors(namespace, "label").length > 0) throw new CelError("Invalid service account namespace");
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
    return new AuthorizerValue({
      ...this.#caller,
      user: { name: `system:serviceaccount:${namespace}:${name}`, uid: "", groups, extra: {} },
    });
  }
}

class PathCheck extends Opaque {
  readonly typeName = "kubernetes.authorization.PathCheck";
  readonly #caller: Caller;
  readonly #path: string;

  constructor(caller: Caller, path: string) {
    super();
    this.#caller = caller;
    this.#path = path;
  }

  call(method: string, [verb]: readonly CelValue[]): CelValue | undefined {
    if (method !== "check") return undefined;
    const { authorizer, user } = this.#caller;
    return new Decision(
      authorizer.authorize({
        ...resourceAttributes(user, text(verb), { resource: "" }),
        isResource: false,
        version: "",
        path: this.#path,
      }),
    );
  }
}

class GroupCheck extends Opaque {
  readonly typeName = "kubernetes.authorization.GroupCheck";
  readonly #caller: Caller;
  readonly #group: string;

  constructor(caller: Caller, group: string) {
    super();
    this.#caller = caller;
    this.#group = group;
  }

  call(method: string, [resource]: readonly CelValue[]): CelValue | undefined {
    if (method !== "resource") return undefined;
    if (text(resource).trim() === "") throw new CelError("resource must not be empty");
    return new ResourceCheck(this.#caller, {
      group: this.#group,
      resource: text(resource),
      subresource: "",
      namespace: "",
      name: "",
    });
  }
}

class ResourceCheck extends Opaque {
  readonly typeName = "kubernetes.authorization.ResourceCheck";
  readonly #caller: Caller;
  readonly #target: Target;

  constructor(caller: Caller, target: Target) {
    super();
    this.#caller = caller;
    this.#target = target;
  }

  call(method: string, [value]: readonly CelValue[]): CelValue | undefined {
    switch (method) {
      case "subresource":
      case "namespace":
      case "name":
        return new ResourceCheck(this.#caller, { ...this.#target, [method]: text(value) });
      // Selectors narrow the request; RBAC ignores them.
      case "fieldSelector":
      case "labelSelector":
        return new ResourceCheck(this.#caller, this.#target);
      case "check":
        return new Decision(
          this.#caller.authorizer.authorize(resourceAttributes(this.#caller.user, text(value), this.#target)),
        );
      default:
        return undefined;
    }
  }
}

class Decision extends Opaque {
  readonly typeName = "kubernetes.authorization.Decision";
  readonly #allowed: boolean;
  readonly #reason: string;

  constructor({ allowed, reason }: { readonly allowed: boolean; readonly reason: string }) {
    super();
    this.#allowed = allowed;
    this.#reason = reason;
  }

  call(method: string): CelValue | undefined {
    switch (method) {
      case "allowed":
        return this.#allowed;
      case "reason":
        return this.#reason;
      // This server's authorizers never fail.
      case "errored":
        return false;
      case "error":
        return "";
      default:
        return undefined;
    }
  }
}
