import { loadKind } from "../../src/apiserver/kinds/builtin-kinds.js";
import { groupVersions } from "../../src/gen/resources.js";

/** Loads the rules of all built-in kinds, for tests of rules without a server. */
export async function loadAllKinds(): Promise<void> {
  for (const { group, resources } of groupVersions) for (const { name } of resources) await loadKind(group, name);
}
