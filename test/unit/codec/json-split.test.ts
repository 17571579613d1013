import { describe, expect, it } from "vitest";
import { json } from "../../../src/codec/json.js";

/**
 * A list is cut where a comma is followed by what its first item began with. Here that stands within a string of the second:
 * the first item begins so that the same bytes can be read from the inside of a string as well as from the outside.
 */
const list =
  '{"kind":"L","apiVersion":"v1","metadata":{},"items":[{":":",",":":"x","metadata":{"name":"a"}},{"metadata":{"name":"b","managedFields":[{"]}},{":":",",":":"}]}}]}';
const bytes = new TextEncoder().encode(list);

describe("a list whose first item begins with a key that is no name", () => {
  it.each([{}, { managedFields: "drop" }, { managedFields: "lazy" }, { managedFields: "drop", lazy: true }] as const)(
    "is not cut inside a string, with %j",
    (options) => {
      const wanted = (JSON.parse(list) as { items: { metadata: { managedFields?: unknown } }[] }).items;
      if ("managedFields" in options && options.managedFields === "drop")
        for (const { metadata } of wanted) delete metadata.managedFields;
      for (const size of [bytes.length, 7]) {
        const decoder = json().createListDecoder(options);
        const items: object[] = [];
        for (let p = 0; p < bytes.length; p += size) items.push(...decoder.push(bytes.slice(p, p + size)));
        items.push(...decoder.end().items);
        expect(JSON.parse(JSON.stringify(items))).toEqual(wanted);
      }
    },
  );
});
