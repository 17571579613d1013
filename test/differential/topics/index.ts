import type { Topic } from "../probe.js";
import { conditions } from "./conditions.js";
import { decoding } from "./decoding.js";
import { empties } from "./empties.js";
import { expressionProbes } from "./expressions.js";
import { creates, creations, updates } from "./fuzz.js";
import { fieldSelectors, media, methods, parameters, tables } from "./generic.js";
import { openApi } from "./openapi.js";
import { policyProbes } from "./policies.js";
import { deletions, hostile, impersonation, starts, subresources } from "./verbs.js";
import { patches, ssa } from "./writes.js";

/** All topics. */
export const topics: readonly Topic[] = [
  openApi, creates, tables, parameters, fieldSelectors, media, methods, patches, ssa, starts, deletions, subresources, hostile, impersonation, creations, updates, expressionProbes, policyProbes, decoding, empties, conditions,
];
