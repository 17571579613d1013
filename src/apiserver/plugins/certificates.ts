import type { CertificateSigningRequest } from "../../kinds/certificates/v1.js";
import { refusal } from "../admission/refusal.js";
import { readRequestSubject } from "../internal/certificate-request.js";
import { equalJson } from "../internal/json-value.js";
import { resourceAttributes } from "../rbac/attributes.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryContext } from "../registry/services.js";

const requestsResource = "certificates.k8s.io/certificatesigningrequests";
const clientSigner = "kubernetes.io/kube-apiserver-client";
const mastersGroup = "system:masters";

/** Requires the verb `approve` on a request's signer for a write to `/approval`. */
export const certificateApproval: AdmissionPlugin = {
  name: "CertificateApproval",
  validate: (attributes, context) =>
    isUpdate(attributes, "approval") ? requireVerb("approve", attributes, context) : undefined,
};

/** Requires the verb `sign` on a request's signer for a write to `/status` that changes certificate or conditions. */
export const certificateSigning: AdmissionPlugin = {
  name: "CertificateSigning",
  validate(attributes, context) {
    if (!isUpdate(attributes, "status")) return undefined;
    const [status, before] = [attributes.object, attributes.old].map(
      (each) => (each as unknown as CertificateSigningRequest | undefined)?.status,
    );
    const unchanged =
      (status?.certificate ?? "") === (before?.certificate ?? "") &&
      equalJson(status?.conditions ?? [], before?.conditions ?? []);
    return unchanged ? undefined : requireVerb("sign", attributes, context);
  },
};

/** Rejects requests for a client certificate of the group `system:masters`. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: "CertificateSubjectRestriction",
  validate(attributes) {
    const { operation, resource, subresource, object } = attributes;
    if (operation !== "CREATE" || resource.bucket !== requestsResource || subresource !== "") return;
    const { signerName, request } = (object as unknown as CertificateSigningRequest).spec;
    if (signerName !== clientSigner) return;
    if (readRequestSubject(request).organizations.includes(mastersGroup))
      throw refusal(attributes, `use of ${clientSigner} signer with ${mastersGroup} group is not allowed`);
  },
};

function isUpdate({ operation, resource, subresource, old }: AdmissionAttributes, wanted: string): boolean {
  return operation === "UPDATE" && resource.bucket === requestsResource && subresource === wanted && old !== undefined;
}

/** Throws 403 unless the user has a verb on the request's signer, or on all signers of its domain. */
async function requireVerb(
  verb: "approve" | "sign",
  attributes: AdmissionAttributes,
  { user, services }: RegistryContext,
): Promise<void> {
  const { signerName } = (attributes.old as unknown as CertificateSigningRequest).spec;
  for (const name of [signerName, `${signerName.split("/")[0]!}/*`]) {
    const target = { group: "certificates.k8s.io", version: "*", resource: "signers", name };
    if ((await services.authorizer.authorize(resourceAttributes(user, verb, target))).allowed) return;
  }
  throw refusal(attributes, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`);
}
