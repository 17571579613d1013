import type { AbacPolicy } from "./abac.js";
import type { AuthorizationConfiguration } from "./configuration.js";
import type { AuthorizerFunction } from "./fixed.js";
import type { AuthorizationWebhook } from "./webhook.js";

/** Name of an authorizer, as in kube-apiserver's `--authorization-mode`. */
export type AuthorizationMode = "AlwaysAllow" | "AlwaysDeny" | "ABAC" | "Node" | "RBAC" | "Webhook";

/** Options for authorizing requests. Members of `system:masters` are always allowed everything. */
export interface AuthorizationOptions {
  /**
   * Authorizers in order; the first one that allows or denies an action decides. `RBAC` evaluates the stored roles and
   * bindings, `Node` the relations of pods to nodes, `ABAC` `abacPolicies`, and `Webhook` `authorizationWebhook`. A
   * function decides by itself. Default: `AlwaysAllow`.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({ authorizationMode: ["Node", "RBAC"] });
   * await server.close();
   * ```
   */
  readonly authorizationMode?: AuthorizationMode | readonly (AuthorizationMode | AuthorizerFunction)[] | undefined;
  /** Policies of the mode `ABAC`. */
  readonly abacPolicies?: readonly AbacPolicy[] | undefined;
  /** Webhook of the mode `Webhook`. It is called by the function in `webhooks`. */
  readonly authorizationWebhook?: AuthorizationWebhook | undefined;
  /**
   * Authorizers with their settings, instead of `authorizationMode`. Text is parsed as YAML or JSON.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({
   *   authorizationConfiguration: `
   * apiVersion: apiserver.config.k8s.io/v1
   * kind: AuthorizationConfiguration
   * authorizers:
   * - { type: Node, name: node }
   * - { type: RBAC, name: rbac }`,
   * });
   * await server.close();
   * ```
   */
  readonly authorizationConfiguration?: AuthorizationConfiguration | string | undefined;
}
