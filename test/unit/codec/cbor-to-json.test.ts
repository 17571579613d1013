import { expect, it } from "vitest";
import { decodeCbor } from "../../../src/codec/cbor/decode.js";
import { encodeCbor } from "../../../src/codec/cbor/encode.js";

const itself: object = { a: 1, toJSON: () => itself };
const inner = { toJSON: () => "called" };

it.each<[string, object]>([
  ["a time", { at: new Date(0) }],
  ["another object", { a: { toJSON: () => ({ b: [1] }) } }],
  ["the object itself", itself],
  ["an object with a toJSON method of its own", { a: { toJSON: () => ({ b: 2, toJSON: () => "not called" }) } }],
  ["an object that contains one with a toJSON method", { a: { toJSON: () => ({ inner }) } }],
])("CBOR of an object whose toJSON returns %s is the same as its JSON", (_what, object) => {
  const bytes = encodeCbor(object);
  expect(decodeCbor(bytes, 0, bytes.length)).toEqual(JSON.parse(JSON.stringify(object)));
});
