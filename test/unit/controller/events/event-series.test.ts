import { describe, expect, it } from "vitest";
import type { EventSeries } from "../../../../src/controller/events/event-series.js";
import {
  beginSeries,
  isDue,
  markGivenUp,
  markSent,
  repeatSeries,
  reviewSeries,
} from "../../../../src/controller/events/event-series.js";

const at = (monotonic: number): { now: number; monotonic: number } => ({ now: 1_000_000 + monotonic, monotonic });
const created = markSent(beginSeries(at(0)), 1, 5);
const repeated = (times: number): EventSeries => {
  let series = created;
  for (let i = 0; i < times; i++) series = repeatSeries(series, at(100));
  return series;
};
const minutes = 60_000;

describe("event series", () => {
  it("begins with one occurrence that the server doesn't have", () => {
    expect(beginSeries(at(7))).toEqual({
      count: 1,
      lastAt: 1_000_007,
      lastSeen: 7,
      created: false,
      sentCount: 0,
      sentAt: 7,
      over: false,
    });
  });
  it("has a sent count of 1 once the event is created, even after repetitions", () => {
    const [first] = [repeatSeries(beginSeries(at(0)), at(1))];
    expect(markSent(first, 2, 9)).toMatchObject({ created: true, sentCount: 1, count: 2, sentAt: 9 });
  });
  it("has the count that the update sent, not the current one", () => {
    expect(markSent(repeated(3), 2, 200)).toMatchObject({ count: 4, sentCount: 2, sentAt: 200 });
  });
  it("continues after it was over", () => {
    expect(repeatSeries({ ...created, over: true }, at(3)).over).toBe(false);
  });

  it.each<[string, EventSeries, boolean]>([
    ["an event without repetitions isn't due", created, false],
    ["the first repetition is due", repeated(1), true],
    ["repetitions before the event is created aren't due", repeatSeries(beginSeries(at(0)), at(1)), false],
    ["later repetitions aren't due", repeatSeries(markSent(repeated(1), 2, 6), at(9)), false],
    ["the final count is due", { ...repeatSeries(markSent(repeated(1), 2, 6), at(9)), over: true }, true],
    ["a final count that the server has isn't due", { ...markSent(repeated(1), 2, 6), over: true }, false],
    ["a request that was given up isn't due again", markGivenUp(repeated(1)), false],
  ])("%s", (_title, series, due) => {
    expect(isDue(series)).toBe(due);
  });

  it.each<[string, EventSeries, number, ReturnType<typeof reviewSeries>]>([
    ["a review keeps a series that isn't idle", created, 5 * minutes, "keep"],
    ["a review forgets a series without repetitions after six minutes", created, 6 * minutes, "forget"],
    [
      "a review keeps unsent repetitions for half an hour",
      { ...repeated(2), lastSeen: 25 * minutes },
      29 * minutes,
      "keep",
    ],
    [
      "a review sends unsent repetitions after half an hour",
      { ...repeated(2), lastSeen: 29 * minutes },
      31 * minutes,
      "send",
    ],
    ["a review sends unsent repetitions of an idle series", repeated(2), 7 * minutes, "send"],
  ])("%s", (_title, series, now, decision) => {
    expect(reviewSeries(series, now)).toBe(decision);
  });
});
