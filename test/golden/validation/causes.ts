/** What a real server said of the objects of one kind that differ from a good one in one place. */
export interface Recorded {
  /** The words of causes, without what differs from run to run. */
  readonly messages: string[];
  /** By the name of the difference: `field reason N`, where N is the place of the words; of objects that were taken `warning N`. */
  readonly create: Record<string, readonly string[]>;
  readonly update: Record<string, readonly string[]>;
}

/** Kinds whose rules were recorded. */
export const recordedKinds: readonly string[] = [
  "apps-v1-controllerrevisions", "apps-v1-daemonsets", "apps-v1-deployments", "apps-v1-replicasets", "apps-v1-statefulsets", "autoscaling-v1-horizontalpodautoscalers", "autoscaling-v2-horizontalpodautoscalers",
  "batch-v1-cronjobs", "batch-v1-jobs", "certificates-v1-certificatesigningrequests", "configmaps", "coordination-v1-leases", "coordination-v1beta1-leasecandidates", "discovery-v1-endpointslices", "endpoints", "events-v1-events",
  "limitranges", "namespaces", "networking-v1-ingressclasses", "networking-v1-ingresses", "networking-v1-networkpolicies", "networking-v1-servicecidrs", "node-v1-runtimeclasses", "nodes", "persistentvolumeclaims", "persistentvolumes",
  "pods", "podtemplates", "policy-v1-poddisruptionbudgets", "rbac-v1-clusterroles", "replicationcontrollers", "resourcequotas", "scheduling-v1-priorityclasses", "secrets", "services", "storage-v1-csidrivers", "storage-v1-csinodes",
  "storage-v1-csistoragecapacities", "storage-v1-storageclasses", "storage-v1-volumeattachments", "storage-v1-volumeattributesclasses",
];

/** What of an answer is kept. */
export interface Answer {
  readonly status: number;
  /** The header `warning`. */
  readonly warning?: string | undefined;
  readonly json: unknown;
}

/** The causes in an answer, with their words in `messages`; undefined where the answer is about something else than the object's contents. */
export function causesOf({ status, json, warning = "" }: Answer, messages: string[]): readonly string[] | undefined {
  const place = (message: string): string => {
    const text = plain(message);
    if (!messages.includes(text)) messages.push(text);
    return String(messages.indexOf(text));
  };
  if (status === 200 || status === 201) return [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => `warning ${place(text)}`);
  if (status !== 422) return undefined;
  const { details } = json as { details?: { causes?: readonly { field: string; reason: string; message: string }[] } };
  return (details?.causes ?? []).map(({ field, reason, message }) => `${field} ${reason.replace("FieldValue", "")} ${place(message)}`);
}

/** Words without what differs from run to run: identities, numbers of ports, differences of Go's own structs. */
function plain(message: string): string {
  return message.replace(/x{200,}/g, "<long>").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>").replace(/\n@@[\s\S]*$/, "\n").replace(/^(Duplicate value|Invalid value): 3\d{4}/, "$1: <port>").replace(/10\.\d+\.\d+\.\d+/g, "<ip>")
    // A store of Protobuf knows no difference between an empty list or map and none.
    .replace(/^((?:Invalid|Unsupported) value: )(?:\{\}|\[\])(?=:|$)/, "$1null")
    // What stays is shown as Go prints the stored kind's own structs.
    .replace(/^Invalid value: [{[].*[}\]]: field is immutable/s, "Invalid value: null: field is immutable");
}
