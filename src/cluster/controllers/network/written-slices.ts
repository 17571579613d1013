import type { ReconcileRequest } from "../../../controller/reconcile/reconcile-request.js";
import type { EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";

type Slice = DeepReadonly<EndpointSlice>;

/** The slices that a controller has written, by their Service. */
export class WrittenSlices {
  readonly #uids = new Map<string, Map<string, string>>();

  /** Notes a slice of a Service. */
  note(service: ReconcileRequest, { metadata }: Slice): void {
    const key = keyOf(service);
    const known = this.#uids.get(key) ?? new Map<string, string>();
    this.#uids.set(key, known.set(metadata!.name!, metadata!.uid!));
  }

  /** Returns true if one of the slices exists, but isn't among those that the Service is known to have. */
  hasMissing(service: ReconcileRequest, known: readonly Slice[], get: (name: string) => Slice | undefined): boolean {
    const written = this.#uids.get(keyOf(service)) ?? new Map<string, string>();
    for (const [name, uid] of written) {
      const slice = get(name);
      if (slice?.metadata?.uid !== uid || slice.metadata.deletionTimestamp !== undefined) written.delete(name);
      else if (!known.includes(slice)) return true;
    }
    return false;
  }

  /** Forgets a Service. */
  forget(service: ReconcileRequest): void {
    this.#uids.delete(keyOf(service));
  }
}

function keyOf({ namespace = "", name }: ReconcileRequest): string {
  return `${namespace}/${name}`;
}
