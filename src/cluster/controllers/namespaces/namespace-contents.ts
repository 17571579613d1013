import type { Resource } from "../../../client/resource/resource.js";
import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isAlreadyExists } from "../../../errors/predicates.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { ConfigMap, Namespace, ServiceAccount } from "../../../kinds/core/v1.js";
import type { Kind } from "../../../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";

/** Object that every namespace has. */
interface Content<T> {
  /** Name of the controller. */
  readonly controller: string;
  readonly kind: Kind<T, "Namespaced">;
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fields of the object apart from its metadata. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Explanation of the ConfigMap for people. */
const rootCaAnnotations = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the " +
    "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};

/**
 * Creates the controller that gives each namespace a ServiceAccount `default`, which pods run as.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#serviceaccount-controller
 */
export function createServiceAccountController(context: ClusterContext): Controller {
  return createContentController(context, {
    controller: "serviceaccount",
    kind: ServiceAccount,
    name: "default",
    fields: {},
  });
}

/**
 * Creates the controller that publishes the API server's certificate authority in a ConfigMap of each namespace.
 * @see https://kubernetes.io/docs/concepts/configuration/configmap/
 */
export function createRootCaPublisher(context: ClusterContext): Controller {
  return createContentController(context, {
    controller: "root-ca-certificate-publisher",
    kind: ConfigMap,
    name: "kube-root-ca.crt",
    annotations: rootCaAnnotations,
    fields: { data: { "ca.crt": context.rootCa } },
  });
}

function createContentController<T extends KubernetesObject>(
  { client, cache, clock, log }: ClusterContext,
  { controller, kind, name, annotations = {}, fields }: Content<T>,
): Controller {
  const contents = cache(kind);
  const handle = (namespace: string): Resource<T> =>
    client.resource(kind).namespace(namespace) as unknown as Resource<T>;
  return createController({
    name: controller,
    for: client.resource(Namespace),
    watches: [
      kindSource(
        client.resource(kind),
        enqueueMapped(({ metadata }) =>
          (metadata as T["metadata"])?.name === name ? [{ name: (metadata as T["metadata"])!.namespace! }] : [],
        ),
      ),
    ],
    clock,
    log,
    async reconcile({ name: namespace }, { object, signal, recordWrite }) {
      if (object === undefined || object.metadata?.deletionTimestamp !== undefined) return;
      const known = contents.store.get(`${namespace}/${name}`);
      if (known === undefined) {
        const wanted = { metadata: { name, namespace, annotations }, ...fields } as unknown as DeepReadonly<T>;
        const created = await handle(namespace)
          .create(wanted, { signal })
          .catch((error: unknown) => {
            // The cache doesn't show it yet.
            if (isAlreadyExists(error)) return undefined;
            throw error;
          });
        if (created !== undefined) recordWrite(created);
        return;
      }
      const current = known as Readonly<Record<string, unknown>>;
      const { metadata } = known;
      // Other texts for people stay.
      const isAnnotated = Object.keys(annotations).every((key) => (metadata?.annotations?.[key] ?? "") !== "");
      if (isAnnotated && Object.entries(fields).every(([key, value]) => deepEqual(current[key], value))) return;
      const wanted = {
        ...current,
        metadata: { ...metadata, annotations: { ...metadata?.annotations, ...annotations } },
        ...fields,
      };
      recordWrite(await handle(namespace).update(wanted as unknown as DeepReadonly<T>, { signal }));
    },
  });
}
