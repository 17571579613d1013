// Logs of a container: the last lines, the raw bytes, and new lines as they are written.
import { connect } from "kubestream/node";
import { logLines, logs } from "kubestream/streams";

const client = await connect();
const pod = { namespace: "web", name: "pod-0" };
for await (const line of await logLines(client, pod, { tailLines: 2 })) console.log("tail:", line);

let bytes = 0;
for await (const chunk of await logs(client, pod, { container: "main", limitBytes: 1_000_000 })) bytes += chunk.length;
console.log(bytes, "bytes");

// With `follow` the loop ends when the container does, on `break`, or when the signal aborts.
for await (const line of await logLines(client, pod, { follow: true })) {
  console.log("follow:", line);
  if (line === "ready") break;
}
await client.close();
