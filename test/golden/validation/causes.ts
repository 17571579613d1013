/** Recorded results of a real server for the objects of one kind, each changed in one place. */
export interface Recorded {
  /** Messages of causes, without parts that differ between runs. */
  readonly messages: string[];
  /**
   * Causes by the name of the change: `field reason N`, where N is the index of the message, or `warning N` for an
   * accepted object.
   */
  readonly create: Record<string, readonly string[]>;
  readonly update: Record<string, readonly string[]>;
}

/** Kinds with recorded validation rules. */
export const recordedKinds: readonly string[] = [
  "apps-v1-controllerrevisions", "apps-v1-daemonsets", "apps-v1-deployments", "apps-v1-replicasets", "apps-v1-statefulsets", "autoscaling-v1-horizontalpodautoscalers", "autoscaling-v2-horizontalpodautoscalers",
  "batch-v1-cronjobs", "batch-v1-jobs", "certificates-v1-certificatesigningrequests", "configmaps", "coordination-v1-leases", "coordination-v1beta1-leasecandidates", "discovery-v1-endpointslices", "endpoints", "events-v1-events",
  "limitranges", "namespaces", "networking-v1-ingressclasses", "networking-v1-ingresses", "networking-v1-networkpolicies", "networking-v1-servicecidrs", "node-v1-runtimeclasses", "nodes", "persistentvolumeclaims", "persistentvolumes",
  "pods", "podtemplates", "policy-v1-poddisruptionbudgets", "rbac-v1-clusterroles", "replicationcontrollers", "resourcequotas", "scheduling-v1-priorityclasses", "secrets", "services", "storage-v1-csidrivers", "storage-v1-csinodes",
  "storage-v1-csistoragecapacities", "storage-v1-storageclasses", "storage-v1-volumeattachments", "storage-v1-volumeattributesclasses",
];

/** The part of an answer that is recorded. */
export interface Answer {
  readonly status: number;
  /** Value of the `Warning` header. */
  readonly warning?: string | undefined;
  readonly json: unknown;
}

/**
 * Returns the causes of an answer and adds their messages to `messages`. Returns undefined if the answer isn't about
 * the object's contents.
 */
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

/** Removes parts that differ between runs: identities, port numbers, and printed Go structs. */
function plain(message: string): string {
  return message.replace(/x{200,}/g, "<long>").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>").replace(/\n@@[\s\S]*$/, "\n").replace(/^(Duplicate value|Invalid value): 3\d{4}/, "$1: <port>").replace(/10\.\d+\.\d+\.\d+/g, "<ip>")
    // Protobuf storage doesn't distinguish an empty list or map from a missing one.
    .replace(/^((?:Invalid|Unsupported) value: )(?:\{\}|\[\])(?=:|$)/, "$1null")
    // The rest is shown the way Go prints the stored kind's structs.
    .replace(/^Invalid value: [{[].*[}\]]: field is immutable/s, "Invalid value: null: field is immutable");
}
