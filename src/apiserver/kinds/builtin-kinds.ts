import { lease } from "./coordination/lease.js";
import { leaseCandidate } from "./coordination/lease-candidate.js";
import type { KindDefinition } from "./shared/kind-definition.js";

const definitions: readonly KindDefinition[] = [lease, leaseCandidate];

/** Definitions of the built-in kinds by `group/plural`. A kind without one has nothing but its schema. */
export const builtinKinds: ReadonlyMap<string, KindDefinition> = new Map(
  definitions.map((definition) => [definition.resource, definition]),
);
