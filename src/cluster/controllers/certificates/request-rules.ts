import type { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { CertificateRequest } from "../certificate-signer.js";

/** Names of the signers of Kubernetes. */
export const signers = {
  client: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
  legacy: "kubernetes.io/legacy-unknown",
} as const;

/** Returns true if a request has a condition that is true. */
export function hasCondition({ status }: DeepReadonly<CertificateSigningRequest>, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/**
 * Returns the reason for which a signer refuses a request; an empty text if it doesn't. Returns `undefined` for a name
 * that isn't one of Kubernetes' signers.
 */
export function signerProblem(
  signerName: string,
  parsed: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (signerName === signers.kubeletClient) return kubeletClientProblem(parsed, usages) ?? "";
  if (signerName === signers.kubeletServing) return kubeletServingProblem(parsed, usages) ?? "";
  if (signerName === signers.client) return clientProblem(usages) ?? "";
  return signerName === signers.legacy ? "" : undefined;
}

/** Returns the reason for which a request isn't one of a kubelet for a client certificate. */
export function kubeletClientProblem(parsed: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dns, email, ip, uri } = parsed.names;
  if (!isOfNodes(parsed)) return "subject organization is not system:nodes";
  if (dns > 0) return "DNS subjectAltNames are not allowed";
  if (email > 0) return "Email subjectAltNames are not allowed";
  if (ip > 0) return "IP subjectAltNames are not allowed";
  if (uri > 0) return "URI subjectAltNames are not allowed";
  if (!isNode(parsed)) return "subject common name does not begin with system:node:";
  return usageProblem("client auth", usages);
}

function kubeletServingProblem(parsed: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dns, email, ip, uri } = parsed.names;
  if (!isOfNodes(parsed)) return "subject organization is not system:nodes";
  if (dns + ip === 0) return "DNS or IP subjectAltName is required";
  if (email > 0) return "Email subjectAltNames are not allowed";
  if (uri > 0) return "URI subjectAltNames are not allowed";
  const problem = usageProblem("server auth", usages);
  if (problem !== undefined) return problem;
  return isNode(parsed) ? undefined : "subject common name does not begin with system:node:";
}

function clientProblem(usages: readonly string[]): string | undefined {
  const allowed = ["client auth", "digital signature", "key encipherment"];
  const other = usages.find((usage) => !allowed.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth";
}

function usageProblem(purpose: string, usages: readonly string[]): string | undefined {
  const required = [purpose, "digital signature", "key encipherment"].sort();
  const given = new Set(usages);
  const isComplete = given.has(purpose) && given.has("digital signature");
  return isComplete && [...given].every((usage) => required.includes(usage))
    ? undefined
    : `usages did not match [${required.join(" ")}]`;
}

function isOfNodes({ organizations }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

function isNode({ commonName }: CertificateRequest): boolean {
  return commonName.startsWith("system:node:");
}
