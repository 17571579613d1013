// Record events about an object. Repeated events are counted in one Event, like client-go's recorder does.
import { createEventRecorder } from "kubestream/controller";
import { Pod } from "kubestream/kinds/core/v1";
import { Event } from "kubestream/kinds/events/v1";
import { connect } from "kubestream/node";

const client = await connect();
const pod = await client.resource(Pod).namespace("web").get("pod-0");
const recorder = createEventRecorder({ events: client.resource(Event), controller: "example.com/backup" });

// `event` returns at once. The recorder sends in the background and drops events instead of blocking.
for (let attempt = 1; attempt <= 3; attempt++)
  recorder.event(pod, { type: "Warning", reason: "BackupFailed", action: "Backup", note: "the bucket is full" });
recorder.event(pod, { reason: "BackupSkipped", action: "Backup" });
await recorder.flush();

const options = { fieldSelector: "regarding.name=pod-0" };
for await (const event of client.resource(Event).namespace("web").items(options))
  console.log(event.type, event.reason, event.note ?? "-", event.series?.count ?? 1);
await recorder.close();
console.log(recorder.metrics.recorded, "recorded,", recorder.metrics.failed, "failed");
await client.close();
