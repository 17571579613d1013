import type { PriorityLevelConfiguration, QueuingConfiguration } from "../../../kinds/flowcontrol/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { wholeMetadata } from "../shared/metadata-rules.js";
import type { StructHook } from "../shared/walk-structs.js";
import { mandatoryErrors, statusErrors } from "./bootstrap-spec.js";

type Spec = NonNullable<PriorityLevelConfiguration["spec"]>;
type Limited = NonNullable<Spec["limited"]>;
type Shares = Pick<Limited, "nominalConcurrencyShares" | "lendablePercent">;

const mostQueues = 10_000_000;
const hashBits = 60;
const preserveZeroAnnotation = "flowcontrol.k8s.io/preserve-zero-concurrency-shares";

function validate(level: PriorityLevelConfiguration): FieldError[] {
  const { metadata, spec } = level;
  const name = metadata?.name ?? "";
  const type: string = spec?.type ?? "";
  return [
    ...(Object.hasOwn(metadata?.annotations ?? {}, preserveZeroAnnotation)
      ? [forbidden("metadata.annotations", `annotation '${preserveZeroAnnotation}' is forbidden`)]
      : []),
    ...((name === "exempt") === (type === "Exempt")
      ? []
      : [invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'")]),
    ...typeErrors(type, spec),
    ...mandatoryErrors("PriorityLevelConfiguration", name, spec),
    ...statusErrors(level),
  ];
}

function typeErrors(type: string, { limited, exempt }: Partial<Spec> = {}): FieldError[] {
  const unexpected = (field: string): FieldError => forbidden(field, `may not be set for type '${type}'`);
  switch (type) {
    case "":
      return [required("spec.type")];
    case "Exempt":
      return [
        ...(limited === undefined ? [] : [unexpected("spec.limited")]),
        ...sharesErrors(exempt ?? {}, "spec.exempt"),
      ];
    case "Limited":
      return [
        ...(exempt === undefined ? [] : [unexpected("spec.exempt")]),
        ...(limited === undefined ? [required("spec.limited")] : limitedErrors(limited, "spec.limited")),
      ];
    default:
      return [notSupported("spec.type", type, ["Exempt", "Limited"])];
  }
}

function sharesErrors({ nominalConcurrencyShares, lendablePercent = 0 }: Shares, at: string): FieldError[] {
  return [
    ...check.nonNegative(`${at}.nominalConcurrencyShares`, nominalConcurrencyShares),
    ...check.between(`${at}.lendablePercent`, lendablePercent, 0, 100),
  ];
}

function limitedErrors(limited: Limited, at: string): FieldError[] {
  return [
    ...sharesErrors(limited, at),
    ...responseErrors(limited.limitResponse, `${at}.limitResponse`),
    ...check.nonNegative(`${at}.borrowingLimitPercent`, limited.borrowingLimitPercent),
  ];
}

function responseErrors(response: Limited["limitResponse"], at: string): FieldError[] {
  const { queuing } = response ?? {};
  const field = `${at}.queuing`;
  switch (response?.type) {
    case "Reject":
      return queuing === undefined ? [] : [forbidden(field, "may not be set for type 'Reject'")];
    case "Queue":
      return queuing === undefined ? [required(field)] : queuingErrors(queuing, field);
    default:
      return check.requiredOneOf(`${at}.type`, response?.type, ["Queue", "Reject"]);
  }
}

function queuingErrors(
  { queueLengthLimit = 0, queues = 0, handSize = 0 }: QueuingConfiguration,
  at: string,
): FieldError[] {
  const errors = [
    ...check.atLeast(`${at}.queueLengthLimit`, queueLengthLimit, 1),
    ...check.atLeast(`${at}.queues`, queues, 1),
    ...check.atLeast(`${at}.handSize`, handSize, 1),
    ...check.atMost(`${at}.queues`, queues, mostQueues),
  ];
  // Dealing a hand uses some bits of a hash for each of its queues.
  if (handSize > 0 && (handSize > queues || Math.ceil(Math.log2(queues) * handSize) > hashBits))
    errors.push(invalid(`${at}.handSize`, handSize, "must not be greater than queues, nor need more than 60 bits"));
  return errors;
}

const fillShares =
  (shares: number): StructHook =>
  (limits: Shares) => {
    limits.nominalConcurrencyShares ??= shares;
    limits.lendablePercent ??= 0;
  };

export const priorityLevel: KindDefinition = defineBuiltin<PriorityLevelConfiguration>({
  resource: "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  generation: { counts: "fromOne" },
  metadata: { checkedAsNew: "everywhere", keptByStatus: wholeMetadata },
  defaults: {
    "io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration": fillShares(0),
    "io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration": fillShares(30),
    "io.k8s.api.flowcontrol.v1.QueuingConfiguration": (queuing: QueuingConfiguration) => {
      queuing.handSize ||= 8;
      queuing.queues ||= 64;
      queuing.queueLengthLimit ||= 50;
    },
  },
  prepare: { create: dropStatus },
  validate: { create: validate, status: statusErrors, checksEnums: true },
  printer: {
    columns: "Type,NominalConcurrencyShares,Queues,HandSize,QueueLengthLimit,Age",
    cells({ spec }, age) {
      const { queues, handSize, queueLengthLimit } = spec?.limited?.limitResponse?.queuing ?? {};
      return [
        spec?.type ?? "",
        spec?.limited?.nominalConcurrencyShares ?? "<none>",
        queues ?? "<none>",
        handSize ?? "<none>",
        queueLengthLimit ?? "<none>",
        age,
      ];
    },
  },
});
