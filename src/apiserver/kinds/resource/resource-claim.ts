import type { ResourceClaim, ResourceClaimTemplate } from "../../../kinds/resource/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { ageOnly, isSet } from "../shared/kind-printer.js";
import { allMetadata } from "../shared/metadata-rules.js";
import type { StrategyContext } from "../shared/strategy-context.js";
import { templateMetadataErrors } from "../shared/template-metadata.js";
import { adminErrors, devicesErrors } from "./claim-errors.js";
import { dropDeallocated, validateClaimStatus } from "./claim-status.js";
import { claimConversion, requestDefaults } from "./claim-versions.js";
import { rulesOfV1 } from "./rules-of-v1.js";

export const resourceClaim: KindDefinition = defineBuiltin<ResourceClaim>({
  resource: "resource.k8s.io/resourceclaims",
  metadata: { checksOnUpdate: 2, keptByStatus: allMetadata },
  statusTables: false,
  deletion: { returnsObject: true },
  defaults: requestDefaults,
  prepare: { create: dropStatus, status: dropDeallocated },
  validate: rulesOfV1<ResourceClaim>(claimConversion, {
    create: ({ metadata, spec }, context) => [
      ...adminErrors(spec?.devices, metadata?.namespace, context),
      ...devicesErrors(spec?.devices ?? {}, "spec.devices"),
    ],
    update: ({ spec }, old) => check.immutable("spec", spec, old.spec),
    status: validateClaimStatus,
    checksEnums: true,
  }),
  printer: {
    columns: "State,Age",
    cells({ metadata, status }, age) {
      const deleted = isSet(metadata?.deletionTimestamp);
      const states = [
        ...(deleted ? ["deleted"] : []),
        ...(status?.allocation !== undefined ? ["allocated"] : deleted ? [] : ["pending"]),
        ...(status?.allocation !== undefined && (status.reservedFor ?? []).length > 0 ? ["reserved"] : []),
      ];
      return [states.join(","), age];
    },
  },
});

function validateTemplate({ metadata, spec }: ResourceClaimTemplate, context?: StrategyContext): FieldError[] {
  return [
    ...adminErrors(spec?.spec?.devices, metadata?.namespace, context),
    ...templateMetadataErrors("spec.metadata", spec?.metadata),
    ...devicesErrors(spec?.spec?.devices ?? {}, "spec.spec.devices"),
  ];
}

export const resourceClaimTemplate: KindDefinition = defineBuiltin<ResourceClaimTemplate>({
  resource: "resource.k8s.io/resourceclaimtemplates",
  metadata: { checksOnUpdate: 2 },
  deletion: { returnsObject: true },
  validate: rulesOfV1<ResourceClaimTemplate>(claimConversion, {
    create: validateTemplate,
    update: (template, old) => [...validateTemplate(template), ...check.immutable("spec", template.spec, old.spec)],
    checksEnums: true,
  }),
  printer: ageOnly,
});
