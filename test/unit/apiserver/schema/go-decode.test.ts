import { expect, it } from "vitest";
import { givenEmptyFields } from "../../../../src/apiserver/objects/given-empty.js";
import { decodeGoObject, printGoObject } from "../../../../src/apiserver/schema/go-decode.js";
import { addUnknownFields, unknownFieldsOf } from "../../../../src/codec/unknown-fields.js";

const definition = "io.k8s.api.core.v1.Pod";
const pod = (): Record<string, unknown> =>
  printGoObject(definition, {
    metadata: { name: "a", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m" } } }] },
    status: { phase: "Running" },
  });

it("decoding returns an object that already has its form", () => {
  const printed = pod();
  expect(decodeGoObject(definition, printed)).toEqual({ object: printed, unknownFields: [] });
  expect(decodeGoObject(definition, printed).object).toBe(printed);
});

it("decoding returns parts in which Go prints null, such as the time of a probe", () => {
  const conditions = [{ type: "Ready", status: "True" }];
  const printed = printGoObject(definition, { ...pod(), status: { conditions } }) as { status: object };
  expect(printed.status).toMatchObject({ conditions: [{ lastProbeTime: null }] });
  expect(printGoObject(definition, printed)).toBe(printed);
});

it("decoding records a quantity that is null, which Go prints as null", () => {
  const decoded = printGoObject("io.k8s.api.resource.v1.CapacityRequestPolicy", { default: null });
  expect(decoded).toEqual({ default: null });
  expect(givenEmptyFields(decoded)).toEqual(["default"]);
});

it.each([
  ["an unknown field", { spec: { containers: [], foo: 1 } }, ["spec.foo"]],
  [
    "an unknown field below others",
    { spec: { containers: [{ name: "c", foo: { bar: 1 } }] } },
    ["spec.containers[0].foo"],
  ],
  ["keys in another order", { status: {}, spec: { containers: [] } }, []],
  ["an empty list", { spec: { containers: [], volumes: [] } }, []],
  ["null", { spec: { containers: [], nodeName: null } }, []],
  ["a quantity in another form", { spec: { containers: [], overhead: { cpu: "1000m" } } }, []],
  ["a time with a fraction", { metadata: { deletionTimestamp: "2026-01-01T00:00:00.5Z" } }, []],
  ["a missing field that Go prints", { spec: {} }, []],
])("decoding changes an object with %s, but not its input", (_, value, unknownFields) => {
  const text = JSON.stringify(value);
  const decoded = decodeGoObject(definition, value);
  expect(decoded.object).not.toBe(value);
  expect(decoded.unknownFields).toEqual(unknownFields);
  expect(JSON.stringify(value)).toBe(text);
  expect(printGoObject(definition, decoded.object)).toEqual(decoded.object);
});

it("decoding shares the parts that have their form with its input", () => {
  const printed = pod();
  const changed = { ...printed, spec: { ...(printed["spec"] as object), volumes: [] } };
  const decoded = printGoObject(definition, changed);
  expect(decoded).toEqual(printed);
  expect(decoded["status"]).toBe(printed["status"]);
  expect((decoded["spec"] as { containers: unknown }).containers).toBe(
    (printed["spec"] as { containers: unknown }).containers,
  );
});

it("decoding drops the unknown fields of a Protobuf body", () => {
  const body = structuredClone(pod()) as { spec: { containers: object[] } };
  addUnknownFields(body.spec.containers[0]!, Uint8Array.of(0xf8, 0x07, 1));
  const decoded = printGoObject(definition, body) as typeof body;
  expect(JSON.stringify(decoded)).toBe(JSON.stringify(body));
  expect(unknownFieldsOf(body.spec.containers[0]!)).toBeDefined();
  expect(unknownFieldsOf(decoded.spec.containers[0]!)).toBeUndefined();
});
