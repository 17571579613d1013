import { badRequest, conflict, rawError } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf } from "../objects/metadata.js";
import { requireNamespace } from "../registry/namespaces.js";
import type { ServedResource } from "../registry/resources.js";
import { groupResourceOf } from "../registry/resources.js";
import { updateObject } from "../registry/write/update.js";
import { respondPlain } from "../wire/respond.js";
import { createdStatus } from "./eviction.js";
import { readPosted } from "./posted-body.js";
import type { HandlerContext } from "./services.js";

interface Pod extends ApiObject {
  spec?: { nodeName?: string; schedulingGates?: unknown[] };
  status?: { conditions?: Record<string, unknown>[]; nominatedNodeName?: string };
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
  const { object: binding, options, negotiated } = await readPosted(context, resource, kind);
  const given = metaOf(binding).name ?? "";
  requireNamespace(context, namespace, () => groupResourceOf(resource), name ?? (given === "" ? "Unknown" : given));
  if (name !== undefined && given !== name) throw badRequest("name in URL does not match name in Binding object");
  const target = (binding.target ?? {}) as { kind?: string; name?: string };
  if ((target.kind ?? "") !== "" && target.kind !== "Node")
    throw rawError(
      `target.kind: Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node", "<empty>"`,
    );
  if ((target.name ?? "") === "") throw rawError("target.name: Required value");
  const pods = context.services.resources.find("", "v1", "pods")!;
  const { uid, resourceVersion, annotations, labels } = metaOf(binding);
  await updateObject(context, {
    resource: pods,
    namespace,
    name: name ?? given,
    subresource: "binding",
    unconditional: true,
    managed: true,
    leavesExisting: true,
    ...(uid === undefined ? {} : { uid }),
    options: { dryRun: options.dryRun, manager: options.manager, raw: options.raw },
    transform: (existing) => {
      const pod: Pod = { ...existing, metadata: { ...existing!.metadata } };
      const meta = metaOf(pod);
      const refuse = (why: string): Error => conflict({ group: "", resource: "pods/binding" }, meta.name ?? "", why);
      if (meta.deletionTimestamp != null)
        throw refuse(`pod ${meta.name ?? ""} is being deleted, cannot be assigned to a host`);
      if ((pod.spec?.nodeName ?? "") !== "")
        throw refuse(`pod ${meta.name ?? ""} is already assigned to node ${JSON.stringify(pod.spec?.nodeName)}`);
      if ((pod.spec?.schedulingGates ?? []).length > 0)
        throw refuse(`pod ${meta.name ?? ""} has non-empty .spec.schedulingGates`);
      pod.spec = { ...pod.spec, nodeName: target.name! };
      if (annotations !== undefined) meta.annotations = { ...meta.annotations, ...annotations };
      if (labels !== undefined) meta.labels = { ...meta.labels, ...labels };
      if (resourceVersion !== undefined && resourceVersion !== "") meta.resourceVersion = resourceVersion;
      const conditions = (pod.status?.conditions ?? []).filter((condition) => condition.type !== "PodScheduled");
      const lastTransitionTime = formatTime(context.services.clock.now());
      conditions.push({ type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime });
      const { nominatedNodeName: _nominated, ...status } = pod.status ?? {};
      pod.status = { ...status, conditions };
      return pod;
    },
  });
  return respondPlain(negotiated, createdStatus, 201);
}
