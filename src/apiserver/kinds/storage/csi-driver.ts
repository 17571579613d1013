import type { CSIDriver, TokenRequest } from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { duplicate, invalid } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";

const shortestToken = 600;
const shortestPeriod = 10;
const fsPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes: readonly string[] = ["Persistent", "Ephemeral"];

function validate({ spec }: CSIDriver): FieldError[] {
  const { tokenRequests = [], volumeLifecycleModes: modes = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const repeated = check.repeats(tokenRequests.map(({ audience }) => audience));
  const inSecrets = spec.serviceAccountTokenInSecrets;
  return [
    ...check.optionalOneOf("spec.fsGroupPolicy", spec.fsGroupPolicy, fsPolicies),
    ...check.eachItem(tokenRequests, "spec.tokenRequests", (request, at, index) =>
      repeated.has(index) ? [duplicate(`${at}.audience`, request.audience)] : tokenErrors(request, at),
    ),
    ...check.eachItem(modes, "", (mode) => check.oneOf("spec.volumeLifecycleModes", mode, lifecycleModes)),
    ...check.atLeast("spec.nodeAllocatableUpdatePeriodSeconds", period, shortestPeriod),
    ...(inSecrets !== undefined && tokenRequests.length === 0
      ? [invalid("spec.serviceAccountTokenInSecrets", inSecrets, "may not be set without tokenRequests")]
      : []),
  ];
}

function tokenErrors({ expirationSeconds: seconds }: TokenRequest, at: string): FieldError[] {
  return check.between(`${at}.expirationSeconds`, seconds, shortestToken, 2 ** 32);
}

/** Drops the field of a disabled feature. */
function dropDisabled({ spec }: CSIDriver): void {
  delete spec.preventPodSchedulingIfMissing;
}

export const csiDriver: KindDefinition = defineBuiltin<CSIDriver>({
  resource: "storage.k8s.io/csidrivers",
  requiresVersionOnUpdate: true,
  generation: { counts: "late" },
  deletion: { returnsObject: true },
  defaults: {
    "io.k8s.api.storage.v1.CSIDriver": ({ spec }: CSIDriver) => {
      spec.attachRequired ??= true;
      spec.podInfoOnMount ??= false;
      spec.storageCapacity ??= false;
      spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
      if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
      spec.requiresRepublish ??= false;
      spec.seLinuxMount ??= false;
    },
  },
  prepare: { create: dropDisabled, update: dropDisabled },
  validate: {
    create: validate,
    update: (driver, old) => [
      ...validate(driver),
      ...check.immutable("spec.attachedRequired", driver.spec.attachRequired, old.spec.attachRequired),
      ...check.immutable("spec.volumeLifecycleModes", driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes),
    ],
  },
  warnings({ spec: { tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } }, old) {
    const changed = old === undefined || !check.sameValue(tokenRequests, old.spec.tokenRequests);
    return tokenRequests.length > 0 && changed && inSecrets === undefined
      ? ["spec.serviceAccountTokenInSecrets is unset; set it to true to keep tokens out of volume attributes"]
      : [];
  },
  printer: {
    columns:
      "AttachRequired:boolean,PodInfoOnMount:boolean,StorageCapacity:boolean,TokenRequests,RequiresRepublish:boolean,Modes,Age",
    cells: ({ spec }, age) => [
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      spec.tokenRequests?.map((each) => each.audience).join(",") ?? "<unset>",
      spec.requiresRepublish ?? false,
      (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
      age,
    ],
  },
});
