import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { isConflict, isNotFound } from "../../../errors/predicates.js";
import { SubjectAccessReview } from "../../../kinds/authorization/v1.js";
import { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { approve } from "../../../operations/approve.js";
import type { ClusterContext } from "../context.js";
import { hasCondition, kubeletClientProblem, signers } from "./request-rules.js";

/**
 * Creates the controller that approves the requests of kubelets for client certificates, if their user may create
 * `certificatesigningrequests/selfnodeclient` or `nodeclient`. Others wait for an administrator.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/
 */
export function createCertificateApprover(context: ClusterContext): Controller {
  const { client, clock, log, signer } = context;
  const requests = client.resource(CertificateSigningRequest);

  async function isAllowed(
    { spec }: DeepReadonly<CertificateSigningRequest>,
    subresource: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { username = "", uid = "", groups = [], extra = {} } = spec;
    const resource = "certificatesigningrequests";
    const review = await client.resource(SubjectAccessReview).create(
      {
        spec: {
          user: username,
          uid,
          groups: [...groups],
          extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
          resourceAttributes: { group: "certificates.k8s.io", version: "*", resource, subresource, verb: "create" },
        },
      },
      { signal },
    );
    return review.status?.allowed === true;
  }

  return createController({
    name: "certificatesigningrequest-approving",
    for: requests,
    predicates: [({ type, object }) => type !== "deleted" && object.spec.signerName === signers.kubeletClient],
    clock,
    log,
    async reconcile({ name }, { object: request, signal }) {
      if (request === undefined || (request.status?.certificate ?? "") !== "") return;
      if (hasCondition(request, "Approved") || hasCondition(request, "Denied")) return;
      const parsed = signer.read(request.spec.request);
      if (kubeletClientProblem(parsed, request.spec.usages ?? []) !== undefined) return;
      const isSelf = request.spec.username === parsed.commonName;
      const message = isSelf && (await isAllowed(request, "selfnodeclient", signal)) ? ownMessage : otherMessage;
      if (message === otherMessage && !(await isAllowed(request, "nodeclient", signal))) return;
      await approve(requests, name, { reason: "AutoApproved", message, signal }).catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
    },
  });
}

const ownMessage = "Auto approving self kubelet client certificate after SubjectAccessReview.";
const otherMessage = "Auto approving kubelet client certificate after SubjectAccessReview.";
