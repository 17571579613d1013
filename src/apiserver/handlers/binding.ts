import { badRequest, conflict, rawError } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf } from "../objects/metadata.js";
import type { ServedResource } from "../registry/resources.js";
import { updateObject } from "../registry/write/update.js";
import { respondPlain } from "../wire/respond.js";
import { admitRequest } from "./admit-request.js";
import { createdStatus } from "./eviction.js";
import { readPosted, settlePosted } from "./posted-body.js";
import type { HandlerContext } from "./services.js";
import { checkNamespace } from "./write.js";

interface Pod extends ApiObject {
  spec?: { nodeName?: string; schedulingGates?: unknown[] };
  status?: { conditions?: Record<string, unknown>[]; nominatedNodeName?: string };
}

interface Binding extends ApiObject {
  readonly target?: { readonly kind?: string; readonly name?: string };
}

/** Throws 500 unless a binding is for a node. */
function checkTarget({ target: { kind = "", name = "" } = {} }: Binding): void {
  if (kind !== "" && kind !== "Node")
    throw rawError(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  if (name === "") throw rawError("target.name: Required value");
}

/** Returns a pod after a binding. Throws 409 if the pod can't be bound. */
function boundPod(existing: Pod, binding: Binding, nowMs: number): Pod {
  const pod: Pod = { ...existing, metadata: { ...existing.metadata } };
  const meta = metaOf(pod);
  const refuse = (why: string): Error =>
    conflict({ group: "", resource: "pods/binding" }, meta.name ?? "", `pod ${meta.name ?? ""} ${why}`);
  const { resourceVersion = "" } = metaOf(binding);
  if (resourceVersion !== "" && resourceVersion !== meta.resourceVersion)
    throw conflict({ group: "", resource: "pods" }, meta.name ?? "", "the resourceVersion in the precondition differs");
  if (meta.deletionTimestamp != null) throw refuse("is being deleted, cannot be assigned to a host");
  if ((pod.spec?.nodeName ?? "") !== "")
    throw refuse(`is already assigned to node ${JSON.stringify(pod.spec?.nodeName)}`);
  if ((pod.spec?.schedulingGates ?? []).length > 0) throw refuse("has non-empty .spec.schedulingGates");
  const { annotations, labels } = metaOf(binding);
  pod.spec = { ...pod.spec, nodeName: binding.target!.name! };
  if (annotations !== undefined) meta.annotations = { ...meta.annotations, ...annotations };
  if (labels !== undefined) meta.labels = { ...meta.labels, ...labels };
  const conditions = (pod.status?.conditions ?? []).filter((condition) => condition.type !== "PodScheduled");
  const lastTransitionTime = formatTime(nowMs);
  conditions.push({ type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime });
  const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
  pod.status = { ...status, conditions };
  return pod;
}

/**
 * Handles POST of a Binding, which assigns a pod to a node. `name` is the pod's name from the path; `undefined` for the
 * collection of bindings.
 */
export async function handleBinding(
  context: HandlerContext,
  resource: ServedResource,
  name: string | undefined,
): Promise<ServerResponse> {
  const { namespace } = context.info;
  const kind = { group: "", version: "v1", kind: "Binding" };
  const { object, options, negotiated } = await readPosted(context, resource, kind);
  const binding: Binding = object;
  if (name === undefined) settlePosted(binding, resource, namespace);
  else checkNamespace(binding, resource, namespace);
  const { dryRun, manager, raw } = options;
  await admitRequest(context, { operation: "CREATE", resource, object: binding, dryRun, options: raw }, () => {
    if (name !== undefined && metaOf(binding).name !== name)
      throw badRequest("name in URL does not match name in Binding object");
    checkTarget(binding);
  });
  if ((metaOf(binding).name ?? "") === "") throw badRequest("Name parameter required.");
  const { uid } = metaOf(binding);
  const nowMs = context.services.clock.now();
  await updateObject(context, {
    resource: context.services.resources.find("", "v1", "pods")!,
    namespace,
    name: metaOf(binding).name ?? "",
    subresource: "binding",
    unconditional: true,
    managed: true,
    leavesExisting: true,
    ...(uid === undefined ? {} : { uid }),
    options: { dryRun, manager, admitted: true },
    transform: (existing) => boundPod(existing!, binding, nowMs),
  });
  return respondPlain(negotiated, createdStatus, 201);
}
