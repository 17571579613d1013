import { derBody, derElements, derTag } from "../../../internal/der.js";
import { workOutside } from "../../../internal/outside-work.js";
import { verifySignature } from "../../../internal/signatures.js";
import type { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { readRequestSubject, readSignedRequest } from "../../internal/certificate-request.js";
import { firstBy } from "../../internal/group-by.js";
import { copyJson, formatTime } from "../../objects/metadata.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { duplicate, forbidden, invalid, required, tooLong } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { isSet } from "../shared/kind-printer.js";
import { formatDuration } from "../shared/print-age.js";

const knownUsages = [
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
const shortestSeconds = 600;
const decidedConditions = ["Approved", "Denied", "Failed"];

type Request = CertificateSigningRequest;
type Condition = NonNullable<NonNullable<Request["status"]>["conditions"]>[number];

function validate({ spec, status }: Request): FieldError[] {
  const { request, signerName, expirationSeconds: seconds } = spec;
  const usages: readonly string[] = spec.usages ?? [];
  const requestProblem = problemOfRequest(request);
  const problem = problemOf(() => checkCertificates(status?.certificate));
  return [
    ...(requestProblem === undefined ? [] : [invalid("spec.request", request, requestProblem)]),
    ...(usages.length === 0 ? [required("spec.usages")] : []),
    ...check.eachItem(usages, "spec.usages", (usage, at) => check.oneOf(at, usage, knownUsages)),
    ...check.duplicates(usages, (index) => `spec.usages[${String(index)}]`),
    ...check.requiredText("spec.signerName", signerName, signerErrors),
    ...check.atLeast("spec.expirationSeconds", seconds, shortestSeconds),
    ...conditionErrors(status?.conditions ?? []),
    ...(problem === undefined ? [] : [invalid("status.certificate", "<certificate data>", problem)]),
  ];
}

function problemOfRequest(request: string | undefined): string | undefined {
  return problemOf(() => {
    readRequestSubject(request ?? "");
    readSignedRequest(request ?? "");
  });
}

/** Verifies the signature of a request. A malformed one has an error already. */
async function verify({ spec: { request } }: Request): Promise<FieldError[]> {
  const isVerified =
    problemOfRequest(request) !== undefined || (await workOutside(verifySignature(readSignedRequest(request))));
  return isVerified ? [] : [invalid("spec.request", request, "unable to verify the signature")];
}

function problemOf(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Throws a `RangeError` if a text isn't a list of certificates, as far as PEM and the outermost elements of each show. */
function checkCertificates(given: string | null | undefined): void {
  if ((given ?? "") === "") return;
  // The PEM decoder of Go skips blocks that aren't base64.
  const blocks = [
    ...atob(given!).matchAll(
      /-----BEGIN ([A-Z0-9 ]+)-----[^\S\n]*\n((?:[^\n:-]*:[^\n-]*\n)*)([A-Za-z0-9+/=\s]*)-----END \1-----/g,
    ),
  ];
  if (blocks.length === 0) throw new RangeError("must contain at least one CERTIFICATE PEM block");
  for (const [, type = "", headers, base64 = ""] of blocks) {
    if (type !== "CERTIFICATE")
      throw new RangeError(`only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`);
    if (headers !== "") throw new RangeError("no PEM block headers are permitted");
    const bytes = Uint8Array.from(atob(base64.replace(/\s/g, "")), (each) => each.charCodeAt(0));
    const certificates = derElements(bytes);
    if (certificates.length === 0) throw new RangeError("found CERTIFICATE PEM block containing 0 certificates");
    for (const certificate of certificates) derBody(certificate, derTag.sequence);
  }
}

function signerErrors(field: string, name: string): FieldError[] {
  if (name === "kubernetes.io/legacy-unknown")
    return [invalid(field, name, "the legacy signerName is not allowed via this API version")];
  const parts = name.split("/");
  if (parts.length !== 2) return [invalid(field, name, "must have the form 'example.com/signer-name'")];
  const [domain = "", path = ""] = parts;
  // Only the first invalid part counts.
  const partErrors = (value: string, rule: "label" | "subdomain"): FieldError[] => {
    const part = value.split(".").find((each) => nameErrors(each, rule).length > 0);
    return part === undefined ? [] : nameErrors(part, rule).map((detail) => invalid(field, value, detail));
  };
  return [
    ...(domain.length > 253 ? [tooLong(field, 253)] : []),
    ...partErrors(domain, "label"),
    ...(domain.includes(".") ? [] : [invalid(field, domain, "should be a domain with at least two segments")]),
    ...partErrors(path, "subdomain"),
    ...(name.length > 571 ? [tooLong(field, 571)] : []),
  ];
}

function conditionErrors(conditions: readonly Condition[]): FieldError[] {
  const seen = new Set<string>();
  return check.eachItem(conditions, "status.conditions", ({ type, status }, at) => {
    const known = decidedConditions.includes(type) ? ["True"] : ["False", "True", "Unknown"];
    const errors = [
      ...(type === "" ? [required(`${at}.type`)] : []),
      ...check.requiredOneOf(`${at}.status`, status, known),
    ];
    const other = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (other !== undefined && seen.has(other))
      errors.push(invalid("status.conditions", type, "Approved and Denied conditions are mutually exclusive"));
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
    return errors;
  });
}

/** Sets missing times of conditions. A condition with the same status as before keeps its transition time. */
function stampConditions({ status }: Request, old: Request, nowMs: number): void {
  const now = formatTime(nowMs);
  const keyOf = (condition: { readonly type: string; readonly status: string }): string =>
    JSON.stringify([condition.type, condition.status]);
  const timed = old.status?.conditions?.filter((before) => isSet(before.lastTransitionTime));
  const before = firstBy(timed, keyOf);
  for (const condition of status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= before.get(keyOf(condition))?.lastTransitionTime ?? now;
  }
}

/** Restores the decisions that a request has already. */
function keepDecisions({ status }: Request, old: Request): void {
  const decisions = old.status?.conditions?.filter(({ type }) => type === "Approved" || type === "Denied");
  const before = firstBy(decisions, ({ type }) => type);
  if (status?.conditions !== undefined)
    status.conditions = status.conditions.map((condition) => copyJson(before.get(condition.type) ?? condition));
}

/** Returns the rules for updates: only `/approval` decides on a request, only `/status` sets the certificate. */
function updateRules(subresource: "" | "status" | "approval"): (request: Request, old: Request) => FieldError[] {
  const count = ({ status }: Request, type: string): number =>
    (status?.conditions ?? []).filter((condition) => condition.type === type).length;
  const refused = (action: string, type: string): FieldError =>
    forbidden("status.conditions", `updates may not ${action} a condition of type ${type}`);
  return (request, old) => {
    const errors = validate(request);
    for (const type of decidedConditions)
      if (count(request, type) < count(old, type)) errors.push(refused("remove", type));
    for (const type of subresource === "approval" ? [] : ["Approved", "Denied"])
      if (count(request, type) > count(old, type)) errors.push(refused("add", type));
    const [certificate, before] = [request.status?.certificate ?? "", old.status?.certificate ?? ""];
    if (certificate !== before && (subresource !== "status" || before !== ""))
      errors.push(forbidden("status.certificate", "updates may not set or modify the certificate"));
    return errors;
  };
}

export const certificateSigningRequest: KindDefinition = defineBuiltin<Request>({
  resource: "certificates.k8s.io/certificatesigningrequests",
  metadata: { name: "any", checksOnUpdate: 2, checksOfSubresources: 2 },
  selectsNamespace: false,
  untrackedFields: {
    "": ["spec", "status"],
    status: ["spec", "status/conditions"],
    approval: ["spec", "status/certificate"],
  },
  prepare: {
    create(request, { user }) {
      request.status = {};
      const { uid: _uid, extra: _extra, ...spec } = request.spec;
      const extra = Object.entries(user?.extra ?? {}).map(([key, values]): [string, string[]] => [key, [...values]]);
      request.spec = {
        ...spec,
        username: user?.name ?? "",
        groups: [...(user?.groups ?? [])],
        ...((user?.uid ?? "") === "" ? {} : { uid: user!.uid }),
        ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
      };
    },
    update(request, old) {
      request.spec = old.spec;
    },
    status(request, old, nowMs) {
      keepDecisions(request, old);
      stampConditions(request, old, nowMs);
    },
  },
  verify,
  validate: { create: validate, update: updateRules(""), status: updateRules("status") },
  subresources: {
    approval: {
      prepare(request, old, nowMs) {
        stampConditions(request, old, nowMs);
        const { conditions } = request.status ?? {};
        request.spec = copyJson(old.spec);
        const { conditions: _conditions, ...status } = copyJson(old.status ?? {});
        request.status = conditions === undefined ? status : { ...status, conditions };
      },
      validate: updateRules("approval"),
    },
  },
  printer: {
    columns: "Age,SignerName,Requestor,RequestedDuration,Condition",
    cells({ spec, status }, age) {
      const has = (type: string): boolean => status?.conditions?.some((each) => each.type === type) === true;
      const condition = [
        has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending",
        ...(has("Failed") ? ["Failed"] : []),
        ...((status?.certificate ?? "") === "" ? [] : ["Issued"]),
      ];
      return [
        age,
        spec.signerName || "<none>",
        spec.username ?? "",
        spec.expirationSeconds === undefined ? "<none>" : formatDuration(spec.expirationSeconds * 1000),
        condition.join(","),
      ];
    },
  },
  selectableFields: ({ spec }) => ({ "spec.signerName": (spec as Request["spec"] | undefined)?.signerName ?? "" }),
});
