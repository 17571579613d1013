import type { LeaseCandidate } from "../../../kinds/coordination/v1beta1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { oldestEmulationVersion, strategyErrors } from "./election-strategy.js";

const semanticVersionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Value of an invalid or missing version: 0.0.0. */
const zeroVersion: readonly number[] = [0, 0, 0, 1];

/** Parses a version to major, minor, patch and 0 for a pre-release or 1 for a release; `undefined` if it is invalid. */
function parseVersion(text: string): readonly number[] | undefined {
  const match = semanticVersionPattern.exec(text);
  if (match === null) return undefined;
  return [Number(match[1]), Number(match[2]), Number(match[3]), match[4] === undefined ? 1 : 0];
}

function compareVersions(a: readonly number[], b: readonly number[]): number {
  return a.map((part, index) => part - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

function validate({ spec }: LeaseCandidate): FieldError[] {
  const given: Partial<NonNullable<LeaseCandidate["spec"]>> | undefined = spec;
  const { leaseName = "", binaryVersion = "", emulationVersion = "", strategy = "" } = given ?? {};
  const errors: FieldError[] = leaseName === "" ? [required("spec.leaseName")] : [];
  const [binary, emulated] = [parseVersion(binaryVersion), parseVersion(emulationVersion)];
  if (emulationVersion !== "" && emulated === undefined)
    errors.push(invalid("spec.emulationVersion", emulationVersion, "must be a valid semantic version"));
  if (binaryVersion === "") errors.push(required("spec.binaryVersion"));
  else if (binary === undefined)
    errors.push(invalid("spec.binaryVersion", binaryVersion, "must be a valid semantic version"));
  if (
    binaryVersion !== "" &&
    emulationVersion !== "" &&
    compareVersions(binary ?? zeroVersion, emulated ?? zeroVersion) < 0
  )
    errors.push(invalid("spec.binaryVersion", binaryVersion, "must be greater than or equal to `emulationVersion`"));
  if (strategy === "") return [...errors, required("spec.strategy")];
  if (strategy === oldestEmulationVersion && compareVersions(emulated ?? zeroVersion, zeroVersion) === 0)
    errors.push(required("spec.emulationVersion", "must be specified when `strategy` is 'OldestEmulationVersion'"));
  return [...errors, ...strategyErrors(strategy)];
}

export const leaseCandidate: KindDefinition = defineBuiltin<LeaseCandidate>({
  resource: "coordination.k8s.io/leasecandidates",
  createOnUpdate: true,
  requiresVersionOnUpdate: true,
  metadata: { name: "configKey", plainFinalizers: true },
  validate: {
    create: validate,
    update: (candidate, old) => [
      ...validate(candidate),
      ...check.immutable("spec.leaseName", candidate.spec?.leaseName ?? "", old.spec?.leaseName),
    ],
  },
  printer: {
    columns: "LeaseName,BinaryVersion,EmulationVersion,Age",
    cells: ({ spec }: LeaseCandidate, age) => [
      spec?.leaseName ?? "",
      spec?.binaryVersion ?? "",
      spec?.emulationVersion ?? "",
      age,
    ],
  },
});
