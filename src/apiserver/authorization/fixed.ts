import type { UserInfo } from "../http/user-info.js";
import type { AuthorizationAttributes } from "../rbac/attributes.js";
import { mastersGroup } from "../rbac/attributes.js";
import type { Authorizer, Decision } from "../rbac/authorizer.js";

/** Authorizer that allows everything. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ allowed: true, reason: "" }),
  rulesFor: () => ({
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
  }),
};

/** Authorizer that allows nothing. Later authorizers may still allow an action. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ allowed: false, reason: "Everything is forbidden." }),
  rulesFor: () => ({ rules: [] }),
};

/** Authorizer that allows everything to members of `system:masters`. */
export const privilegedGroup: Authorizer = {
  authorize: ({ user }) => ({ allowed: user.groups.includes(mastersGroup), reason: "" }),
  rulesFor: () => ({ rules: [] }),
};

/**
 * Function that decides which actions users are allowed.
 *
 * @example
 * ```ts
 * import { type AuthorizerFunction, createApiServer } from "kubestream/apiserver";
 *
 * const noSecrets: AuthorizerFunction = ({ resource, user }) => ({
 *   allowed: false,
 *   denied: resource === "secrets" && user.name !== "vault",
 *   reason: "only vault may read secrets",
 * });
 * const server = createApiServer({ authorizationMode: [noSecrets, "RBAC"] });
 * await server.close();
 * ```
 */
export type AuthorizerFunction = (attributes: AuthorizationAttributes) => Decision | Promise<Decision>;

/** Creates the authorizer of a function. Its exceptions are errors of the check. */
export function functionAuthorizer(decide: AuthorizerFunction): Authorizer {
  return {
    async authorize(attributes) {
      try {
        return await decide(attributes);
      } catch (error) {
        return { allowed: false, reason: "", error: error instanceof Error ? error.message : String(error) };
      }
    },
    rulesFor: unlisted("function"),
  };
}

/** Returns `rulesFor` of an authorizer that can't list rules. */
export function unlisted(name: string): (user: UserInfo, namespace: string) => ReturnType<Authorizer["rulesFor"]> {
  return () => ({ rules: [], incomplete: true, error: `${name} authorizer does not support user rule resolution` });
}
