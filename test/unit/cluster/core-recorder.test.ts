import { describe, expect, it } from "vitest";
import { createCoreRecorder, createEventOutbox } from "../../../src/cluster/core-recorder.js";
import { createCluster } from "../../../src/cluster/create-cluster.js";
import type { EventRecorder } from "../../../src/controller/events/event-recorder.js";
import { systemClock } from "../../../src/internal/clock.js";
import { Event, type ObjectReference } from "../../../src/kinds/core/v1.js";

const about: ObjectReference = { apiVersion: "batch/v1", kind: "Job", namespace: "default", name: "work", uid: "1" };
const component = "job-controller";

/** Records events with a recorder of its own, and returns the events as `COUNT MESSAGE`. */
async function record(events: (recorder: EventRecorder) => void): Promise<{ events: Event[]; lines: string[] }> {
  await using cluster = await createCluster({ nodes: 0, metrics: false });
  const { client } = cluster;
  const recorder = createCoreRecorder({
    client,
    component,
    host: "",
    clock: systemClock,
    random: () => 0,
    log: () => undefined,
    outbox: createEventOutbox(),
  });
  events(recorder);
  await recorder.close();
  const { items } = await client
    .resource(Event)
    .namespace("default")
    .list({ fieldSelector: "involvedObject.name=work" });
  return { events: items, lines: items.map(({ count, message }) => `${String(count)} ${message!}`).sort() };
}

describe("recorder of core events", () => {
  it("writes the fields that kube-controller-manager writes", async () => {
    const { events } = await record((recorder) => recorder.event(about, { reason: "Completed", note: "done" }));
    const [{ metadata: _, ...event } = {} as Event] = events;
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(event).toEqual({
      involvedObject: about,
      type: "Normal",
      reason: "Completed",
      message: "done",
      count: 1,
      eventTime: null,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component },
      reportingComponent: component,
      reportingInstance: "",
    });
  });

  it("counts a repeated message, and keeps different ones apart", async () => {
    const { lines } = await record((recorder) => {
      for (const note of ["one", "two", "one"]) recorder.event(about, { reason: "Created", note });
    });
    expect(lines).toEqual(["1 two", "2 one"]);
  });

  it("combines similar events from the tenth message on", async () => {
    const { lines } = await record((recorder) => {
      for (let pod = 1; pod <= 12; pod++) recorder.event(about, { reason: "Created", note: `pod ${String(pod)}` });
    });
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe("3 (combined from similar events): pod 12");
  });

  it("drops events about an object beyond a burst of 25", async () => {
    const { lines } = await record((recorder) => {
      for (let time = 0; time < 40; time++) recorder.event(about, { reason: "Created", note: "again" });
    });
    expect(lines).toEqual(["25 again"]);
  });
});
