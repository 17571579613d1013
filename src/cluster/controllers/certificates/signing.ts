import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { isConflict, isNotFound } from "../../../errors/predicates.js";
import { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import { formatTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";
import { hasCondition, signerProblem } from "./request-rules.js";

/** Longest and shortest lifetime of a certificate. */
const longestMs = 365 * 86_400_000;
const shortestMs = 600_000;

/**
 * Creates the controller that signs approved requests for the signers of Kubernetes: `kube-apiserver-client`,
 * `kube-apiserver-client-kubelet`, `kubelet-serving` and `legacy-unknown`. A request that breaks its signer's rules gets
 * the condition `Failed`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
export function createCertificateSigningController(context: ClusterContext): Controller {
  const { client, clock, log, signer } = context;
  const requests = client.resource(CertificateSigningRequest);
  return createController({
    name: "certificatesigningrequest-signing",
    for: requests,
    predicates: [({ type, object }) => type !== "deleted" && hasCondition(object, "Approved")],
    clock,
    log,
    async reconcile(_, { object: request, signal }) {
      if (request === undefined || (request.status?.certificate ?? "") !== "") return;
      if (!hasCondition(request, "Approved") || hasCondition(request, "Failed")) return;
      const { signerName, usages = [], expirationSeconds } = request.spec;
      const parsed = signer.read(request.spec.request);
      const problem = signerProblem(signerName, parsed, usages);
      if (problem === undefined) return;
      const status = structuredClone(request.status ?? {}) as NonNullable<CertificateSigningRequest["status"]>;
      if (problem !== "") {
        const lastUpdateTime = formatTime(clock.now());
        const failure = { type: "Failed", status: "True", reason: "SignerValidationFailure", message: problem };
        status.conditions = [...(status.conditions ?? []), { ...failure, lastUpdateTime }];
      } else {
        const lifetimeMs = expirationSeconds === undefined ? longestMs : expirationSeconds * 1_000;
        const pem = await signer.sign(parsed, usages, Math.max(shortestMs, Math.min(longestMs, lifetimeMs)));
        status.certificate = btoa(pem);
      }
      const changed = { ...request, status } as CertificateSigningRequest;
      await requests
        .subresource("status")
        .update(changed, { signal })
        .catch((error: unknown) => {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
    },
  });
}
