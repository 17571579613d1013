import type { KindDefinition } from "../shared/kind-definition.js";
import { deviceClass } from "./device-class.js";
import { deviceTaintRule } from "./device-taint-rule.js";
import { resourceClaim, resourceClaimTemplate } from "./resource-claim.js";
import { resourcePoolStatusRequest } from "./resource-pool-status-request.js";
import { resourceSlice } from "./resource-slice.js";

/** Definitions of the kinds of the group. */
export const definitions: readonly KindDefinition[] = [
  deviceClass,
  deviceTaintRule,
  resourceClaim,
  resourceClaimTemplate,
  resourcePoolStatusRequest,
  resourceSlice,
];
