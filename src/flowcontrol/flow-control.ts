import type { Client } from "../client/client.js";
import { orAborted } from "../internal/abort.js";
import { type Clock, systemClock } from "../internal/clock.js";
import type { Kind } from "../meta/kind.js";
import type { RequestOptions } from "../meta/options.js";

/** UIDs that classify a request in API Priority and Fairness. `ResponseInfo` and `StatusError` carry them. */
export interface FlowControlUids {
  /** UID of the FlowSchema. */
  readonly flowSchemaUid?: string | undefined;
  /** UID of the PriorityLevelConfiguration. */
  readonly priorityLevelUid?: string | undefined;
}

/** Names for `FlowControlUids`; absent if the object no longer exists. */
export interface FlowControlNames {
  /** Name of the FlowSchema. */
  readonly flowSchema?: string | undefined;
  /** Name of the PriorityLevelConfiguration. */
  readonly priorityLevel?: string | undefined;
}

/**
 * Lookup of names by UID. It lists all objects when it meets an unknown UID, at most every 30 seconds, even if that fails
 * or many calls wait for it, because unknown UIDs arrive in numbers from a server that is overloaded.
 */
export interface FlowControlLookup {
  /**
   * Returns the names for the UIDs of a result (see `getResponseInfo`) or an error. Rejects if the objects couldn't be
   * listed; until the next attempt, unknown UIDs then have no names.
   */
  names(uids: FlowControlUids, options?: RequestOptions): Promise<FlowControlNames>;
}

const group = "flowcontrol.apiserver.k8s.io";
const flowSchemas: Kind<unknown, "Cluster"> = {
  group,
  version: "v1",
  kind: "FlowSchema",
  plural: "flowschemas",
  scope: "Cluster",
};
const priorityLevels: Kind<unknown, "Cluster"> = {
  group,
  version: "v1",
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
  scope: "Cluster",
};
const minIntervalMs = 30_000;

/**
 * Creates a lookup that resolves the flow-control UIDs of responses to names.
 *
 * @example
 * ```ts
 * import { isTooManyRequests } from "kubestream";
 * import { createFlowControlLookup } from "kubestream/flowcontrol";
 * import { Event } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const lookup = createFlowControlLookup(client);
 * try {
 *   await client.resource(Event).list();
 * } catch (error) {
 *   if (isTooManyRequests(error)) console.error("throttled by", await lookup.names(error));
 * }
 * ```
 */
export function createFlowControlLookup(
  client: Client,
  options: { readonly clock?: Clock | undefined } = {},
): FlowControlLookup {
  const { clock = systemClock } = options;
  const names = new Map<string, string>();
  let beganAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async (request: RequestOptions): Promise<void> => {
    beganAt = clock.monotonic();
    const lists = await Promise.all(
      [flowSchemas, priorityLevels].map((kind) => client.resource(kind).metadataOnly().list(request)),
    );
    names.clear();
    for (const { metadata } of lists.flatMap((list) => list.items))
      if (metadata.uid !== undefined && metadata.name !== undefined) names.set(metadata.uid, metadata.name);
  };
  return {
    async names({ flowSchemaUid, priorityLevelUid }, { signal, ...request } = {}) {
      const uids = [flowSchemaUid, priorityLevelUid].filter((uid) => uid !== undefined);
      if (uids.some((uid) => !names.has(uid))) {
        if (reading === undefined && clock.monotonic() - beganAt >= minIntervalMs)
          reading = read(request).finally(() => (reading = undefined));
        // Calls share a read, so the signal of one ends only its own wait.
        if (reading !== undefined) await (signal === undefined ? reading : orAborted(reading, signal));
      }
      const flowSchema = flowSchemaUid === undefined ? undefined : names.get(flowSchemaUid);
      const priorityLevel = priorityLevelUid === undefined ? undefined : names.get(priorityLevelUid);
      return { ...(flowSchema !== undefined && { flowSchema }), ...(priorityLevel !== undefined && { priorityLevel }) };
    },
  };
}
