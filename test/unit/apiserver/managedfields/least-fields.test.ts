import { expect, it } from "vitest";
import { trackUpdate } from "../../../../src/apiserver/managedfields/field-manager.js";
import { newFieldsExceed } from "../../../../src/apiserver/managedfields/least-fields.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { builtinFieldScope } from "../../../support/builtin-field-scope.js";

const scope = builtinFieldScope("v1", "Pod", { hasStatus: true });
const container = { name: "c", image: "i" };
const variables = Array.from({ length: 200 }, (_, at) => ({ name: `n${String(at)}`, value: "v" }));
const labels = Object.fromEntries(variables.map(({ name, value }) => [name, value]));

function pod(metadata: object, spec: object = {}, status: object = {}): ApiObject {
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [container], ...spec }, status };
}

it.each<[what: string, object: ApiObject, share: number]>([
  ["variables", pod({}, { containers: [{ ...container, env: variables }] }), 0.7],
  ["labels", pod({ labels }), 0.7],
  ["equal items", pod({}, { imagePullSecrets: new Array(200).fill({ name: "a" }) }), 0.2],
  ["a status that a create drops", pod({ labels: { a: "b" } }, {}, { podIPs: [{ ip: "1" }], reason: "r" }), 0.2],
])("the estimated size of the owners of %s is close to the actual one, and not above", (_what, object, share) => {
  const tracked = trackUpdate({ scope, live: undefined, updated: object, manager: "m", nowMs: 0 });
  const size = JSON.stringify(tracked.metadata?.managedFields?.[0]?.fieldsV1).length;
  const exceeds = (bytes: number): boolean => newFieldsExceed(object, scope.empty(), scope, bytes);
  expect({ all: exceeds(size), most: exceeds(Math.floor(size * share)) }).toEqual({ all: false, most: true });
});

it("a new object whose owners take more than the room has none", () => {
  const updated = pod({ labels });
  const tracked = (room: number): unknown =>
    trackUpdate({ scope, live: undefined, updated, manager: "m", nowMs: 0, room }).metadata?.managedFields;
  expect([tracked(100), tracked(100_000)]).toEqual([undefined, [expect.objectContaining({ manager: "m" })]]);
});
