import { expect, it } from "vitest";
import { formatMicroTime, formatTime, parseTime } from "../../../src/meta/time.js";

const moment = new Date("2024-05-01T12:00:00.789Z");

it("formatTime and formatMicroTime write the API's two time formats", () => {
  expect([formatTime(moment), formatMicroTime(moment)]).toEqual([
    "2024-05-01T12:00:00Z",
    "2024-05-01T12:00:00.789000Z",
  ]);
  expect([formatTime(moment.getTime()), formatMicroTime(0)]).toEqual([
    "2024-05-01T12:00:00Z",
    "1970-01-01T00:00:00.000000Z",
  ]);
  expect(() => formatTime(new Date(NaN))).toThrow(RangeError);
});

it.each<[string | null | undefined, number | undefined]>([
  ["2024-05-01T12:00:00Z", Date.UTC(2024, 4, 1, 12)],
  ["2024-05-01T12:00:00.789123Z", moment.getTime()],
  ["2024-05-01T14:00:00.789+02:00", moment.getTime()],
  [undefined, undefined],
  [null, undefined],
  ["", undefined],
])("parseTime reads %j", (text, expected) => expect(parseTime(text)?.getTime()).toBe(expected));

it.each(["yesterday", "2024-05-01", "2024-13-01T12:00:00Z", "1", "2024-05-01T12:00:00"])(
  "parseTime rejects %j",
  (text) => expect(() => parseTime(text)).toThrow(`invalid RFC 3339 time ${JSON.stringify(text)}`),
);
