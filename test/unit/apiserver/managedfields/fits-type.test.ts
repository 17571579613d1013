import { expect, it } from "vitest";
import { builtinSchema } from "../../../../src/apiserver/managedfields/builtin-schema.js";
import { decodeFieldSet, encodeFieldSet } from "../../../../src/apiserver/managedfields/field-set.js";
import { createTypeReader } from "../../../../src/apiserver/managedfields/field-type.js";
import { fitsType, typedErrors } from "../../../../src/apiserver/managedfields/validate-typed.js";

const pod = createTypeReader(builtinSchema)({ $ref: "io.k8s.api.core.v1.Pod" });
const spec = (fields: object): object => ({ spec: { containers: [{ name: "c", image: "i" }], ...fields } });

it.each([
  [true, spec({})],
  [true, spec({ nodeName: null, containers: null })],
  [true, spec({ containers: [{ name: "c" }, { name: "c" }] })],
  [true, spec({ tolerations: [{ key: "a" }, { key: "a" }] })],
  [false, spec({ foo: 1 })],
  [false, spec({ nodeName: 1 })],
  [false, spec({ containers: {} })],
  [true, spec({ containers: [{ image: "i" }] })],
  [false, spec({ containers: [null] })],
  [false, spec({ containers: ["c"] })],
  [false, { metadata: { finalizers: [null] } }],
  [false, { metadata: { finalizers: [{}] } }],
  [false, { metadata: { finalizers: [["a"]] } }],
  [false, { metadata: [] }],
  [false, []],
])("a value fits the type of pods: %s for %j", (fits, value) => {
  expect(fitsType(value, pod)).toBe(fits);
  expect(typedErrors(value, pod, { allowDuplicates: true }) === undefined).toBe(fits);
});

it("encoded field sets can't be changed, because objects share them", () => {
  const fields = { "f:spec": { "f:containers": { 'k:{"name":"c"}': { ".": {}, "f:image": {} } } } };
  const encoded = encodeFieldSet(decodeFieldSet(fields)) as typeof fields;
  expect(encoded).toEqual(fields);
  expect(() => Object.assign(encoded["f:spec"]["f:containers"], { "f:x": {} })).toThrow(TypeError);
  expect(encodeFieldSet(decodeFieldSet(structuredClone(fields)))).toBe(encoded);
});
