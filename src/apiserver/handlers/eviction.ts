import type { LabelSelector } from "../../meta/label-selector.js";
import { invalidField } from "../errors/field-error.js";
import { badRequest, failure, forbidden, rawError, throwInvalid } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf } from "../objects/metadata.js";
import { selectorMatches } from "../objects/selector-text.js";
import { getVersion, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { listStored } from "../registry/stored-objects.js";
import type { DeleteRequest, DeleteTarget } from "../registry/write/delete.js";
import { checkPreconditions, deleteObject } from "../registry/write/delete.js";
import { updateObject } from "../registry/write/update.js";
import { respondPlain } from "../wire/respond.js";
import { admitRequest } from "./admit-request.js";
import { deleteRequestOf } from "./delete-options.js";
import { readPosted } from "./posted-body.js";
import type { HandlerContext } from "./services.js";
import { checkNamespace } from "./write.js";

interface Pod extends ApiObject {
  status?: {
    phase?: string;
    conditions?: {
      type: string;
      status: string;
      lastProbeTime?: string | null;
      lastTransitionTime?: string | undefined;
    }[];
  };
}

interface Budget extends ApiObject {
  spec?: { selector?: LabelSelector; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  };
}

/** Option to delete an object that can't be read any more. */
const unsafeDeletion = "ignoreStoreReadErrorWithClusterBreakingPotential";
const maxDisrupted = 2000;
const finished = new Set(["Succeeded", "Failed", "Pending"]);

function refused(message: string, retryAfterSeconds?: number): Error {
  return failure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Returns the reason why a budget doesn't allow a disruption. */
function denialReason({ metadata, status: { currentHealthy = 0, desiredHealthy = 0 } = {} }: Budget): string {
  const name = metadata?.name ?? "";
  return currentHealthy <= desiredHealthy
    ? `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
    : `The disruption budget ${name} does not allow evicting pods currently`;
}

/** Status of a request that created something without returning an object. */
export const createdStatus = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

const evictionKind = { group: "policy", version: "v1", kind: "Eviction" };

/** Throws 400 if an eviction has another name than the path, and 422 if it requests an unsafe deletion. */
function checkEviction(eviction: ApiObject, name: string): void {
  if ((metaOf(eviction).name ?? "") !== name) throw badRequest("name in URL does not match name in Eviction object");
  const options = (eviction["deleteOptions"] ?? {}) as Record<string, unknown>;
  if (options[unsafeDeletion] === true)
    throwInvalid(evictionKind, name, [
      invalidField(`deleteOptions.${unsafeDeletion}`, true, "can not be set for pod eviction"),
    ]);
}

/** Handles POST of an Eviction, which deletes a pod if its disruption budget allows it. */
export async function handleEviction(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { object: eviction, options, negotiated } = await readPosted(context, resource, evictionKind, ["v1beta1"]);
  checkNamespace(eviction, resource, namespace);
  const { dryRun, raw } = options;
  await admitRequest(context, { operation: "CREATE", resource, object: eviction, dryRun, options: raw }, () => {
    checkEviction(eviction, pathName);
  });
  const pod = readObject(resource, getVersion(context, resource, namespace, pathName)) as Pod;
  const given = (eviction.deleteOptions ?? {}) as Record<string, unknown>;
  const request = {
    ...deleteRequestOf({ ...given, ...(dryRun && given.dryRun === undefined ? { dryRun: ["All"] } : {}) }),
    admitted: true,
  };
  if (!finished.has(pod.status?.phase ?? "") && pod.metadata?.deletionTimestamp == null)
    await checkBudgets(context, pod, namespace, request.dryRun);
  const target = { resource, namespace, name: pathName };
  const marked = request.dryRun ? request : await markDisrupted(context, target, request);
  await deleteObject(context, target, marked);
  return respondPlain(negotiated, createdStatus, 201);
}

/**
 * Records the reason in the pod's conditions. The preconditions apply to this write; the deletion then uses the version
 * that it created.
 */
async function markDisrupted(
  context: HandlerContext,
  target: DeleteTarget,
  request: DeleteRequest,
): Promise<DeleteRequest> {
  const { uid, resourceVersion: version } = request;
  // An empty precondition is ignored here, and the deletion refers to the version that this write creates.
  const expected = {
    ...request,
    uid: uid === "" ? undefined : uid,
    resourceVersion: version === "" ? undefined : version,
  };
  const { object } = await updateObject(context, {
    ...target,
    subresource: "status",
    unconditional: true,
    managed: true,
    options: { dryRun: false, manager: "", admitted: true },
    transform: (existing) => {
      const pod = existing as Pod;
      checkPreconditions(target.resource, pod, expected);
      const conditions = ((pod.status ??= {}).conditions ??= []);
      const known = conditions.find(({ type }) => type === "DisruptionTarget");
      const condition = {
        type: "DisruptionTarget",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime:
          known?.status === "True" ? known.lastTransitionTime : formatTime(context.services.clock.now()),
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
      };
      if (known === undefined) conditions.push(condition);
      else Object.assign(known, condition);
      return pod;
    },
  });
  const { resourceVersion } = metaOf(object);
  return version === undefined || resourceVersion === undefined ? request : { ...request, resourceVersion };
}

async function checkBudgets(context: HandlerContext, pod: Pod, namespace: string, dryRun: boolean): Promise<void> {
  const labels = pod.metadata?.labels ?? {};
  const budgets = (listStored(context.services, "policy/poddisruptionbudgets", namespace) as Budget[]).filter(
    (budget) => selectorMatches(budget.spec?.selector, labels),
  );
  if (budgets.length === 0) return;
  if (budgets.length > 1)
    throw rawError("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  const [budget] = budgets as [Budget];
  const ready =
    pod.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  if (
    !ready &&
    (budget.spec?.unhealthyPodEvictionPolicy === "AlwaysAllow" ||
      (currentHealthy >= desiredHealthy && desiredHealthy > 0))
  )
    return;
  await updateObject(context, {
    resource: context.services.resources.find("policy", "v1", "poddisruptionbudgets")!,
    namespace,
    name: budget.metadata!.name!,
    subresource: "status",
    unconditional: true,
    options: { dryRun, manager: "kube-apiserver" },
    transform: (existing) => {
      const current = existing as Budget;
      takeDisruption(current, pod.metadata!.name!, context.services.clock.now());
      return current;
    },
  });
}

/** Records in the conditions that no more disruptions are allowed. */
function markNoDisruptionsAllowed(status: NonNullable<Budget["status"]>, nowMs: number): void {
  const conditions = (status.conditions ??= []);
  let condition = conditions.find(({ type }) => type === "DisruptionAllowed");
  if (condition === undefined) conditions.push((condition = { type: "DisruptionAllowed", status: "" }));
  const since = condition.status === "False" ? condition.lastTransitionTime : undefined;
  Object.assign(condition, {
    status: "False",
    reason: "InsufficientPods",
    message: "",
    observedGeneration: status.observedGeneration ?? 0,
    lastTransitionTime: since ?? formatTime(nowMs),
  });
}

function takeDisruption(budget: Budget, pod: string, nowMs: number): void {
  const name = budget.metadata?.name ?? "";
  const status = (budget.status ??= {});
  if ((status.observedGeneration ?? 0) < (budget.metadata?.generation ?? 0))
    throw refused(`The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = status.disruptionsAllowed ?? 0;
  if (allowed < 0)
    throw forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, "pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > maxDisrupted)
    throw forbidden(
      { group: "policy", resource: "poddisruptionbudget" },
      name,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    );
  if (allowed === 0) throw refused(denialReason(budget));
  status.disruptionsAllowed = allowed - 1;
  if (allowed === 1) markNoDisruptionsAllowed(status, nowMs);
  status.disruptedPods = { ...status.disruptedPods, [pod]: formatTime(nowMs) };
}
