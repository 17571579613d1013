import type { Lease } from "../../../kinds/coordination/v1.js";
import type { LeaseCandidate } from "../../../kinds/coordination/v1beta1.js";
import type { FieldError } from "../../errors/field-error.js";
import { forbidden, immutable, invalid, notSupported, qualifiedName, required } from "./field-errors.js";

const OLDEST = "OldestEmulationVersion";

/** Errors of a Lease. */
export function validateLease({ spec = {} }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
    errors.push(invalid("spec.leaseDurationSeconds", spec.leaseDurationSeconds, "must be greater than 0"));
  if ((spec.leaseTransitions ?? 0) < 0)
    errors.push(invalid("spec.leaseTransitions", spec.leaseTransitions, "must be greater than or equal to 0"));
  if (spec.strategy !== undefined) errors.push(...strategyErrors(spec.strategy));
  if ((spec.preferredHolder ?? "") !== "" && (spec.strategy ?? "") === "")
    errors.push(forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  return errors;
}

function strategyErrors(strategy: string): FieldError[] {
  // A real server names the field twice.
  const field = "spec.strategy.strategy";
  if (strategy.includes("/")) return qualifiedName(field, strategy);
  return strategy === OLDEST ? [] : [notSupported(field, strategy, [OLDEST])];
}

const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

function parse(text: string): readonly number[] | undefined {
  const match = VERSION.exec(text);
  return match === null
    ? undefined
    : [Number(match[1]), Number(match[2]), Number(match[3]), match[4] === undefined ? 1 : 0];
}

function compare(a: readonly number[], b: readonly number[]): number {
  return a.map((part, index) => part - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

const NONE = [0, 0, 0, 1];

/** Errors of a LeaseCandidate. */
export function validateLeaseCandidate({ spec }: LeaseCandidate): FieldError[] {
  const given: Partial<NonNullable<LeaseCandidate["spec"]>> | undefined = spec;
  const { leaseName = "", binaryVersion = "", emulationVersion = "", strategy = "" } = given ?? {};
  const errors: FieldError[] = leaseName === "" ? [required("spec.leaseName")] : [];
  const [binary, emulated] = [parse(binaryVersion), parse(emulationVersion)];
  if (emulationVersion !== "" && emulated === undefined)
    errors.push(invalid("spec.emulationVersion", emulationVersion, "must be a valid semantic version"));
  if (binaryVersion === "") errors.push(required("spec.binaryVersion"));
  else if (binary === undefined)
    errors.push(invalid("spec.binaryVersion", binaryVersion, "must be a valid semantic version"));
  if (binaryVersion !== "" && emulationVersion !== "" && compare(binary ?? NONE, emulated ?? NONE) < 0)
    errors.push(invalid("spec.binaryVersion", binaryVersion, "must be greater than or equal to `emulationVersion`"));
  if (strategy === "") return [...errors, required("spec.strategy")];
  if (strategy === OLDEST && compare(emulated ?? NONE, NONE) === 0)
    errors.push(required("spec.emulationVersion", "must be specified when `strategy` is 'OldestEmulationVersion'"));
  return [...errors, ...strategyErrors(strategy)];
}

/** Errors of a changed LeaseCandidate. */
export function validateLeaseCandidateUpdate(candidate: LeaseCandidate, old: LeaseCandidate): FieldError[] {
  return [
    ...validateLeaseCandidate(candidate),
    ...immutable("spec.leaseName", candidate.spec?.leaseName ?? "", old.spec?.leaseName),
  ];
}
