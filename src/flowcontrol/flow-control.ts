import type { Client } from "../client/client.js";
import { type Clock, systemClock } from "../internal/clock.js";
import type { Kind } from "../meta/kind.js";
import type { RequestOptions } from "../meta/options.js";

/** Where a request went in API Priority and Fairness. */
export interface FlowControlUids {
  /** UID of the FlowSchema, as results and errors carry it. */
  readonly flowSchemaUid?: string | undefined;
  /** UID of the PriorityLevelConfiguration, as results and errors carry it. */
  readonly priorityLevelUid?: string | undefined;
}

/** The same by name; absent where there is no such object any more. */
export interface FlowControlNames {
  /** Name of the FlowSchema. */
  readonly flowSchema?: string;
  /** Name of the PriorityLevelConfiguration. */
  readonly priorityLevel?: string;
}

/** Looks the names up that UIDs stand for; reads all of them when it meets one it does not know, at most every 30 seconds. */
export interface FlowControlLookup {
  /** The names of a result's (see `responseOf`) or an error's UIDs. */
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
const againAfterMs = 30_000;

/** Makes a look-up over a client. */
export function createFlowControlLookup(client: Client, options: { readonly clock?: Clock } = {}): FlowControlLookup {
  const { clock = systemClock } = options;
  const names = new Map<string, string>();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async names({ flowSchemaUid, priorityLevelUid }, request = {}) {
      const uids = [flowSchemaUid, priorityLevelUid].filter((uid) => uid !== undefined);
      if (uids.some((uid) => !names.has(uid)) && clock.monotonic() - readAt >= againAfterMs) {
        const lists = await Promise.all(
          [flowSchemas, priorityLevels].map((kind) => client.resource(kind).metadataOnly().list(request)),
        );
        readAt = clock.monotonic();
        names.clear();
        for (const { metadata } of lists.flatMap((list) => list.items))
          if (metadata.uid !== undefined && metadata.name !== undefined) names.set(metadata.uid, metadata.name);
      }
      const flowSchema = flowSchemaUid === undefined ? undefined : names.get(flowSchemaUid);
      const priorityLevel = priorityLevelUid === undefined ? undefined : names.get(priorityLevelUid);
      return { ...(flowSchema !== undefined && { flowSchema }), ...(priorityLevel !== undefined && { priorityLevel }) };
    },
  };
}
