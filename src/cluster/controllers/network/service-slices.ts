import type { Informer } from "../../../cache/informer/informer.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { Predicate } from "../../../controller/reconcile/predicates.js";
import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import type { Source } from "../../../controller/reconcile/source.js";
import { EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";

type Slice = DeepReadonly<EndpointSlice>;

/** Label with the manager of a slice. */
export const managedBy = "endpointslice.kubernetes.io/managed-by";
/** Label with the Service of a slice. */
export const serviceName = "kubernetes.io/service-name";
/** Index of slices by their Service. */
const index = "service";

/** The slices that a controller manages, by their Service. */
export class ServiceSlices {
  readonly #client: ClusterContext["client"];
  readonly #slices: Informer<EndpointSlice>;
  readonly #manager: string;
  /** UIDs of the slices that the controller has written, by name. */
  readonly #written = new Map<string, Map<string, string>>();

  constructor({ client, cache }: Pick<ClusterContext, "client" | "cache">, manager: string) {
    this.#client = client;
    this.#slices = cache(EndpointSlice);
    this.#manager = manager;
    this.#slices.store.addIndex(index, servicesOf);
  }

  /** Returns a source that enqueues the Services of slices whose contents, manager or Service change. */
  source(): Source {
    return kindSource(
      this.#client.resource(EndpointSlice),
      enqueueMapped((slice) =>
        servicesOf(slice).map((key) => {
          const [namespace = "", name = ""] = key.split("/");
          return { namespace, name };
        }),
      ),
      { predicates: [this.#mayMatter] },
    );
  }

  /**
   * Returns the slices of a Service; `undefined` if it lacks one that the controller has written. Upstream takes that for
   * one that its cache doesn't show yet, and waits.
   */
  list(service: ReconcileRequest): readonly Slice[] | undefined {
    const key = keyOf(service);
    const managed = this.#slices.store
      .byIndex(index, key)
      .filter((slice) => this.#isManaged(slice) && slice.metadata?.deletionTimestamp === undefined);
    const written = this.#written.get(key) ?? new Map<string, string>();
    for (const [name, uid] of written) {
      const slice = this.#slices.store.get(`${service.namespace ?? ""}/${name}`);
      if (slice?.metadata?.uid !== uid || slice.metadata.deletionTimestamp !== undefined) written.delete(name);
      else if (!managed.includes(slice)) return undefined;
    }
    return managed;
  }

  /** Notes that the controller has written a slice of a Service. */
  note(service: ReconcileRequest, { metadata }: Slice): void {
    const written = this.#written.get(keyOf(service)) ?? new Map<string, string>();
    this.#written.set(keyOf(service), written.set(metadata!.name!, metadata!.uid!));
  }

  /** Forgets a Service. */
  forget(service: ReconcileRequest): void {
    this.#written.delete(keyOf(service));
  }

  /** Other labels of a slice, and its owners, can wait until it changes. */
  readonly #mayMatter: Predicate<EndpointSlice> = (change) => {
    const { object: slice } = change;
    const isManaged = this.#isManaged(slice);
    if (change.type !== "updated") return isManaged;
    const { old } = change;
    const isMoved = isManaged !== this.#isManaged(old) || servicesOf(slice)[0] !== servicesOf(old)[0];
    return isMoved || (isManaged && slice.metadata?.generation !== old.metadata?.generation);
  };

  #isManaged({ metadata }: Slice): boolean {
    return metadata?.labels?.[managedBy] === this.#manager;
  }
}

/** Returns the Service that a slice is labeled with, such as `default/web`. */
function servicesOf({ metadata }: Slice): string[] {
  const service = metadata?.labels?.[serviceName];
  return service === undefined ? [] : [`${metadata!.namespace}/${service}`];
}

function keyOf({ namespace = "", name }: ReconcileRequest): string {
  return `${namespace}/${name}`;
}
