import type { Topic } from "../probe.js";
import { conditions } from "./conditions.js";
import { costs } from "./costs.js";
import { decoding } from "./decoding.js";
import { definitionProbes } from "./definitions.js";
import { empties } from "./empties.js";
import { expressionProbes } from "./expressions.js";
import { creates, creations, updates } from "./fuzz.js";
import { fieldSelectors, media, methods, parameters, tables } from "./generic.js";
import { managers, statusManagers } from "./managers.js";
import { openApi } from "./openapi.js";
import { policyProbes } from "./policies.js";
import { accessScenarios, admissionScenarios } from "./scenarios/access.js";
import { aggregationScenarios } from "./scenarios/aggregation.js";
import { claimScenarios } from "./scenarios/claims.js";
import { collectionScenarios } from "./scenarios/collections.js";
import { customScenarios, typeScenarios } from "./scenarios/customs.js";
import { defaultScenarios } from "./scenarios/defaults.js";
import { kindFields } from "./scenarios/kind-fields.js";
import { methodScenarios } from "./scenarios/methods.js";
import { namespaceScenarios } from "./scenarios/namespaces.js";
import { olderScenarios } from "./scenarios/older.js";
import { optionalPluginScenarios, pluginScenarios } from "./scenarios/plugins.js";
import { podFields } from "./scenarios/pod-fields.js";
import { rareFields } from "./scenarios/rare-fields.js";
import { rareWrites } from "./scenarios/rare-writes.js";
import { serviceScenarios } from "./scenarios/services.js";
import { storageVersionScenarios } from "./scenarios/storage-versions.js";
import { versionScenarios } from "./scenarios/versions.js";
import { volumeScenarios } from "./scenarios/volumes.js";
import { listScenarios, watchScenarios } from "./scenarios/watches.js";
import { applyScenarios, patchScenarios, writeScenarios } from "./scenarios/writes.js";
import { yamlScenarios } from "./scenarios/yaml.js";
import { statusWrites } from "./statuses.js";
import { statusStrategics, strategics } from "./strategics.js";
import { definedSurfaces, envelopes, evictions, shownStatuses, warnings } from "./surfaces.js";
import { deletions, hostile, impersonation, starts, subresources } from "./verbs.js";
import { patches, ssa } from "./writes.js";

/** All topics. */
export const topics: readonly Topic[] = [
  openApi,
  creates,
  tables,
  parameters,
  fieldSelectors,
  media,
  methods,
  patches,
  ssa,
  starts,
  deletions,
  subresources,
  hostile,
  impersonation,
  creations,
  updates,
  statusWrites,
  pluginScenarios,
  aggregationScenarios,
  olderScenarios,
  optionalPluginScenarios,
  definitionProbes,
  watchScenarios,
  listScenarios,
  patchScenarios,
  applyScenarios,
  writeScenarios,
  accessScenarios,
  admissionScenarios,
  claimScenarios,
  podFields,
  kindFields,
  rareFields,
  rareWrites,
  customScenarios,
  typeScenarios,
  expressionProbes,
  policyProbes,
  versionScenarios,
  decoding,
  empties,
  conditions,
  costs,
  serviceScenarios,
  collectionScenarios,
  volumeScenarios,
  storageVersionScenarios,
  yamlScenarios,
  namespaceScenarios,
  methodScenarios,
  defaultScenarios,
  managers,
  statusManagers,
  strategics,
  statusStrategics,
  shownStatuses,
  evictions,
  definedSurfaces,
  envelopes,
  warnings,
];
