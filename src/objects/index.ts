export type { CronSchedule } from "../internal/cron-schedule.js";
export { parseCronSchedule } from "../internal/cron-schedule.js";
export { deepEqual } from "../internal/deep-equal.js";
export type { ConditionFields, NewCondition } from "../meta/condition.js";
export { findCondition, setCondition } from "../meta/condition.js";
export type { ParsedQuantity } from "../meta/quantity.js";
export { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityToNumber } from "../meta/quantity.js";
export type { LabelRequirement } from "../meta/selectors.js";
export { matchesLabels, parseLabelSelector } from "../meta/selectors.js";
export { formatMicroTime, formatTime, parseTime } from "../meta/time.js";
export type { CreateJsonPatchOptions } from "../patch/create-json-patch.js";
export { createJsonPatch } from "../patch/create-json-patch.js";
export { createMergePatch } from "../patch/create-merge-patch.js";
export type { FieldManagerOptions } from "../patch/managed-fields.js";
export { extractApplyConfiguration, fieldOwners, ownedFields, upgradeManagedFields } from "../patch/managed-fields.js";
export type { ApplyConflict } from "./apply-conflict.js";
export { applyConflicts } from "./apply-conflict.js";
export type { CreateOrUpdateOptions, CreateOrUpdateResult } from "./create-or-update.js";
export { createOrPatch, createOrUpdate } from "./create-or-update.js";
export {
  addFinalizer,
  hasFinalizer,
  isBeingDeleted,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "./finalizers.js";
export { controllerRevisionHash, podTemplateHash } from "./hashes/template-hashes.js";
export { formatLabelSelector, matchesLabelSelector } from "./label-selectors.js";
export type { OwnerReferenceOptions } from "./owner-references.js";
export {
  getControllerOwner,
  isOwnedBy,
  ownerReference,
  withController,
  withOwner,
  withoutOwner,
} from "./owner-references.js";
export type { ReadinessOptions } from "./readiness.js";
export { isReady, readinessOf } from "./readiness.js";
export type { Readiness } from "./readiness-rules.js";
export type { SchemaKind, SchemaKindOptions, StandardJsonSchema } from "./schema/define-kind-from-schema.js";
export { defineKindFromSchema } from "./schema/define-kind-from-schema.js";
export type { ValidatedObject } from "./validate-object.js";
export { validateObject } from "./validate-object.js";
