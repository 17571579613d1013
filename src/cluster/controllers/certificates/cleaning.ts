import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { isConflict, isNotFound } from "../../../errors/predicates.js";
import { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Creates the controller that deletes requests that are over: an hour after they were denied, have failed or were issued,
 * a day after they were created or approved without a result, and when their certificate expires.
 */
export function createCertificateCleaner(context: ClusterContext): Controller {
  const { client, clock, log, signer } = context;
  const requests = client.resource(CertificateSigningRequest);
  return createController({
    name: "certificatesigningrequest-cleaner",
    for: requests,
    predicates: [({ type }) => type !== "deleted"],
    clock,
    log,
    async reconcile({ name }, { object: request, signal }) {
      if (request === undefined) return undefined;
      const waitMs = dueMs(request, signer) - clock.now();
      if (waitMs === Number.POSITIVE_INFINITY) return undefined;
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const preconditions = { uid: request.metadata!.uid! };
      await requests.delete(name, { preconditions, signal }).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
      return undefined;
    },
  });
}

/** Returns when a request is deleted, in milliseconds since the epoch. */
function dueMs(
  { metadata, status }: DeepReadonly<CertificateSigningRequest>,
  signer: ClusterContext["signer"],
): number {
  const { conditions = [], certificate = "" } = status ?? {};
  const timeOf = (time: string | null | undefined): number => parseTime(time)?.getTime() ?? Number.POSITIVE_INFINITY;
  if (conditions.length === 0) return timeOf(metadata?.creationTimestamp) + dayMs;
  const isIssued = certificate !== "";
  const times = conditions.map(({ type, lastUpdateTime }) => {
    if (type === "Denied" || type === "Failed") return timeOf(lastUpdateTime) + hourMs;
    return type === "Approved" ? timeOf(lastUpdateTime) + (isIssued ? hourMs : dayMs) : Number.POSITIVE_INFINITY;
  });
  const isApproved = conditions.some(({ type }) => type === "Approved");
  const expiryMs = isIssued && isApproved ? signer.expiryMs(atob(certificate)) : undefined;
  return Math.min(...times, expiryMs ?? Number.POSITIVE_INFINITY);
}
