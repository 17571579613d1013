import { expect, it } from "vitest";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import type { RegistryContext } from "../../../../src/apiserver/registry/services.js";
import { dropDuplicateOwners } from "../../../../src/apiserver/registry/write/owners.js";

const distinct = 2_000;

it.each([
  ["in turns", (at: number) => at % distinct],
  ["in runs", (at: number) => at >> 1],
  ["in no order", (at: number) => (at * 7_919) % distinct],
])("duplicate owners %s are found without comparing each owner with all others", (_order, numberAt) => {
  let reads = 0;
  const owners = Array.from({ length: 2 * distinct }, (_, at) => ({
    apiVersion: "v1",
    kind: "Node",
    name: "n",
    get uid() {
      reads += 1;
      return `uid-${String(numberAt(at))}`;
    },
  }));
  const warnings: string[] = [];
  const context = { warn: (text: string) => void warnings.push(text) } as unknown as RegistryContext;
  const object: ApiObject = { metadata: { ownerReferences: owners } };

  dropDuplicateOwners(context, object);

  expect(reads).toBeLessThanOrEqual(5 * owners.length);
  expect(object.metadata?.ownerReferences).toHaveLength(distinct);
  expect(warnings).toHaveLength(1);
});
