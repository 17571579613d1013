import type { KindDefinition } from "../shared/kind-definition.js";
import { customResourceDefinition } from "./custom-resource-definition.js";

/** Definitions of the kinds of the group. */
export const definitions: readonly KindDefinition[] = [customResourceDefinition];
