// Follow the warnings of a namespace, like `kubectl get events --watch`.
import { Event } from "kubestream/kinds/events/v1";
import { connect } from "kubestream/node";

const client = await connect();
const events = client.resource(Event).namespace("default");
const report = (name: string, type: string, note: string) =>
  events.create({
    metadata: { name },
    eventTime: new Date().toISOString().replace("Z", "000Z"),
    type,
    note,
    reason: "Example",
    action: "Watching",
    reportingController: "example.com/event-watch",
    reportingInstance: "event-watch-0",
    regarding: { kind: "ConfigMap", name: "settings", namespace: "default" },
  });
await report("watched-1", "Warning", "disk is almost full");

// Existing events come first, then a bookmark, then new ones. The server filters by the field selector.
const initial = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: true } as const;
for await (const { type, object } of events.watch({ fieldSelector: "type=Warning", ...initial })) {
  if (type === "BOOKMARK") {
    await report("watched-2", "Normal", "disk was cleaned");
    await report("watched-3", "Warning", "disk is full");
    continue;
  }
  console.log(object.regarding?.name, object.reason, object.note);
  if (object.metadata?.name === "watched-3") break;
}
await events.deleteCollection({ fieldSelector: "reason=Example" });
await client.close();
