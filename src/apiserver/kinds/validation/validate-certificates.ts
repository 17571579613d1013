import type { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { duplicate, forbidden, invalid, notSupported, required, sameValue, tooLong } from "../shared/field-errors.js";
import { specDiff } from "../shared/spec-diff.js";

const USAGES = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const SHORTEST = 600;
const DECIDED = ["Approved", "Denied", "Failed"];

type Request = CertificateSigningRequest;
type Condition = NonNullable<NonNullable<Request["status"]>["conditions"]>[number];

/** Errors of a CertificateSigningRequest. */
export function validateSigningRequest(request: Request): FieldError[] {
  const { request: pem, usages: given, signerName, expirationSeconds: seconds } = request.spec;
  const errors: FieldError[] = [];
  const usages: readonly string[] = given ?? [];
  if (!isRequest(pem)) errors.push(invalid("spec.request", pem, "PEM block type must be CERTIFICATE REQUEST"));
  if (usages.length === 0) errors.push(required("spec.usages"));
  usages.forEach((usage, index) => {
    if (!USAGES.includes(usage)) errors.push(notSupported(`spec.usages[${String(index)}]`, usage, USAGES));
  });
  usages.forEach((usage, index) => {
    if (usages.indexOf(usage) < index) errors.push(duplicate(`spec.usages[${String(index)}]`, usage));
  });
  errors.push(...signerErrors(signerName));
  if (seconds !== undefined && seconds < SHORTEST)
    errors.push(
      invalid(
        "spec.expirationSeconds",
        seconds,
        `may not specify a duration less than ${String(SHORTEST)} seconds (10 minutes)`,
      ),
    );
  const problem = certificateProblem(request.status?.certificate);
  return [
    ...errors,
    ...conditionErrors(request.status?.conditions ?? []),
    ...(problem === undefined ? [] : [invalid("status.certificate", "<certificate data>", problem)]),
  ];
}

/** Why something is no certificate, as far as it can be told without decoding it; nothing if it looks like one. */
function certificateProblem(given: string | null | undefined): string | undefined {
  if ((given ?? "") === "") return undefined;
  const blocks = [...atob(given!).matchAll(/-----BEGIN ([A-Z0-9 ]+)-----\s*\n([\s\S]*?)-----END \1-----/g)];
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const [, type = "", body = ""] of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (body.includes(":")) return "no PEM block headers are permitted";
  }
  return undefined;
}

function isRequest(pem: string | null | undefined): boolean {
  return (
    pem !== undefined &&
    pem !== null &&
    /-----BEGIN CERTIFICATE REQUEST-----\s[\s\S]*-----END CERTIFICATE REQUEST-----/.test(atob(pem))
  );
}

function signerErrors(name: string): FieldError[] {
  const field = "spec.signerName";
  if (name === "") return [required(field)];
  if (name === "kubernetes.io/legacy-unknown")
    return [invalid(field, name, "the legacy signerName is not allowed via this API version")];
  const parts = name.split("/");
  if (parts.length !== 2)
    return [invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const [domain = "", path = ""] = parts;
  const errors: FieldError[] = domain.length > 253 ? [tooLong(field, 253)] : [];
  // The first wrong part is told alone.
  const look = (value: string, rule: "label" | "subdomain"): void => {
    const part = value.split(".").find((each) => nameErrors(each, rule).length > 0);
    if (part !== undefined)
      errors.push(
        ...nameErrors(part, rule).map((detail) =>
          invalid(field, value, `validating label ${JSON.stringify(part)}: ${detail}`),
        ),
      );
  };
  look(domain, "label");
  if (!domain.includes("."))
    errors.push(invalid(field, domain, "should be a domain with at least two segments separated by dots"));
  look(path, "subdomain");
  if (path.length > 317) errors.push(tooLong(field, 317));
  return errors;
}

function conditionErrors(conditions: readonly Condition[]): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap(({ type, status }, index) => {
    const at = `status.conditions[${String(index)}]`;
    const errors: FieldError[] = type === "" ? [required(`${at}.type`)] : [];
    const known = DECIDED.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    if (status === "") errors.push(required(`${at}.status`));
    else if (!known.includes(status)) errors.push(notSupported(`${at}.status`, status, known));
    const other = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (other !== undefined && seen.has(other))
      errors.push(invalid("status.conditions", type, "Approved and Denied conditions are mutually exclusive"));
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
    return errors;
  });
}

/** Errors of a changed request: who may decide does so through the end point for it, and only a signer writes the certificate. */
export function validateSigningRequestUpdate(
  via: "" | "status" | "approval",
): (request: Request, old: Request) => FieldError[] {
  return (request, old) => {
    const errors = validateSigningRequest(request);
    const of = (one: Request, type: string): readonly Condition[] =>
      (one.status?.conditions ?? []).filter((condition) => condition.type === type);
    for (const type of DECIDED)
      if (of(request, type).length < of(old, type).length)
        errors.push(
          forbidden("status.conditions", `updates may not remove a condition of type ${JSON.stringify(type)}`),
        );
    for (const type of via === "approval" ? [] : ["Approved", "Denied"]) {
      const [now, before] = [of(request, type), of(old, type)];
      if (now.length > before.length)
        errors.push(forbidden("status.conditions", `updates may not add a condition of type ${JSON.stringify(type)}`));
      else if (now.length === before.length && !sameValue(now, before))
        errors.push(
          forbidden(
            "status.conditions",
            `updates may not modify a condition of type ${JSON.stringify(type)}\n${specDiff("certificates.CertificateSigningRequestCondition", before, now)}`,
          ),
        );
    }
    const [certificate, before] = [request.status?.certificate ?? "", old.status?.certificate ?? ""];
    if (certificate === before) return errors;
    if (via !== "status") errors.push(forbidden("status.certificate", "updates may not set certificate content"));
    else if (before !== "")
      errors.push(forbidden("status.certificate", "updates may not modify existing certificate content"));
    return errors;
  };
}
