import type { Namespace, Node, Pod, ReplicationController, Service } from "../../kinds/core/v1.js";
import type { ApiObject } from "../objects/api-object.js";

type Fields = Record<string, string>;

/** Values of the fields that selectors may name, by resource. */
const table: Readonly<Record<string, (object: never) => Fields>> = {
  "/pods": ({ spec, status }: Pod) => ({
    "spec.nodeName": spec?.nodeName ?? "",
    "spec.restartPolicy": spec?.restartPolicy ?? "",
    "spec.schedulerName": spec?.schedulerName ?? "",
    "spec.serviceAccountName": spec?.serviceAccountName ?? "",
    "spec.hostNetwork": String(spec?.hostNetwork ?? false),
    "status.phase": status?.phase ?? "",
    "status.podIPs": status?.podIPs?.[0]?.ip ?? status?.podIP ?? "",
    "status.podIP": status?.podIPs?.[0]?.ip ?? status?.podIP ?? "",
    "status.nominatedNodeName": status?.nominatedNodeName ?? "",
  }),
  "/nodes": ({ spec }: Node) => ({ "spec.unschedulable": String(spec?.unschedulable ?? false) }),
  "/namespaces": ({ status }: Namespace) => ({ "status.phase": status?.phase ?? "" }),
  "/services": ({ spec }: Service) => ({ "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" }),
  "/replicationcontrollers": ({ status }: ReplicationController) => ({
    "status.replicas": String(status?.replicas ?? 0),
  }),
};

/** What reads the selectable fields of a resource, besides name and namespace; undefined where there are none. */
export function selectableFieldsOf(group: string, resource: string): ((object: ApiObject) => Fields) | undefined {
  const key = `${group}/${resource}`;
  return Object.hasOwn(table, key) ? (table[key] as (object: ApiObject) => Fields) : undefined;
}
