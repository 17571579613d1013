import { describe, expect, it } from "vitest";
import { json } from "../../../src/codec/json/json.js";

/**
 * A list is split where a comma is followed by the bytes that its first item began with. Here these bytes occur inside
 * a string of the second item, and they can be read from inside a string as well as from outside.
 */
const list =
  '{"kind":"L","apiVersion":"v1","metadata":{},"items":[{":":",",":":"x","metadata":{"name":"a"}},{"metadata":{"name":"b","managedFields":[{"]}},{":":",",":":"}]}}]}';
const bytes = new TextEncoder().encode(list);

describe("JSON list whose first item begins with an unusual key", () => {
  it.each([{}, { managedFields: "drop" }, { managedFields: "lazy" }, { managedFields: "drop", lazy: true }] as const)(
    "is not split inside a string with options %j",
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
