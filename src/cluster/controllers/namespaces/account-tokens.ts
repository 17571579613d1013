import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isConflict, isNotFound } from "../../../errors/predicates.js";
import type { TokenRequest } from "../../../kinds/authentication/v1.js";
import { Secret, ServiceAccount } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";

const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";
/** Lifetime of the tokens in seconds: the longest that a server grants. */
const expirationSeconds = 2 ** 32;

/**
 * Creates the controller that fills Secrets of the type `kubernetes.io/service-account-token` with a token of their
 * ServiceAccount, and deletes them when it's gone.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets
 */
export function createAccountTokenController(context: ClusterContext): Controller {
  const { client, clock, log, rootCa } = context;
  const fieldSelector = "type=kubernetes.io/service-account-token";
  const secrets = context.informers.informer<Secret>(client.resource(Secret), { fieldSelector });
  const accounts = context.cache(ServiceAccount);
  const authority = btoa(rootCa);
  const isComplete = ({ data = {} }: DeepReadonly<Secret>): boolean =>
    (data["token"] ?? "") !== "" && (data["namespace"] ?? "") !== "" && (rootCa === "" || data["ca.crt"] === authority);

  /** Returns the account of a Secret, also if the cache doesn't have it yet. */
  const accountOf = async (
    { metadata }: DeepReadonly<Secret>,
    signal: AbortSignal,
  ): Promise<DeepReadonly<ServiceAccount> | undefined> => {
    const { namespace = "", annotations = {} } = metadata ?? {};
    const name = annotations[nameAnnotation] ?? "";
    const isMeant = (account: DeepReadonly<ServiceAccount> | undefined): boolean =>
      account !== undefined && (annotations[uidAnnotation] ?? account.metadata!.uid) === account.metadata!.uid;
    const cached = accounts.store.get(`${namespace}/${name}`);
    if (isMeant(cached)) return cached;
    const fresh = await client.resource(ServiceAccount).namespace(namespace).getOptional(name, { signal });
    return isMeant(fresh) ? fresh : undefined;
  };

  return createController({
    name: "serviceaccount-token",
    for: secrets,
    watches: [
      kindSource(client.resource(ServiceAccount), ({ object }) =>
        secrets.store
          .list()
          .map(({ metadata }) => metadata!)
          .filter(
            ({ namespace, annotations }) =>
              namespace === object.metadata!.namespace && annotations?.[nameAnnotation] === object.metadata!.name,
          )
          .map(({ namespace = "", name = "" }) => ({ namespace, name })),
      ),
    ],
    clock,
    log,
    async reconcile({ name }, { object: secret, signal }) {
      if (secret === undefined) return;
      const { namespace = "", uid = "" } = secret.metadata!;
      const handle = client.resource(Secret).namespace(namespace);
      const account = await accountOf(secret, signal);
      try {
        if (account === undefined) {
          await handle.delete(name, { preconditions: { uid }, signal });
          return;
        }
        if (isComplete(secret)) return;
        const { name: owner = "", uid: ownerUid = "" } = account.metadata ?? {};
        const boundObjectRef = { apiVersion: "v1", kind: "Secret", name, uid };
        const request: TokenRequest = { spec: { audiences: [], expirationSeconds, boundObjectRef } };
        const tokens = client.resource(ServiceAccount).namespace(namespace).subresource("token");
        const { status } = await tokens.create(owner, request, { signal });
        const annotations = {
          ...secret.metadata!.annotations,
          [nameAnnotation]: owner,
          [uidAnnotation]: ownerUid,
        };
        const data = {
          ...secret.data,
          namespace: secret.data?.["namespace"] || btoa(namespace),
          token: secret.data?.["token"] || btoa(status?.token ?? ""),
          ...(rootCa !== "" && { "ca.crt": authority }),
        };
        await handle.update({ ...secret, metadata: { ...secret.metadata, annotations }, data }, { signal });
      } catch (error) {
        // The change of the Secret that caused it brings the next attempt.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    },
  });
}
