// Attach to the main process of a container: its output from now on, and its standard input.
import { connect } from "kubestream/node";
import { attach } from "kubestream/streams";

const client = await connect();
// Standard input needs `stdin: true` in the pod's container as well.
const session = await attach(client, { namespace: "web", name: "pod-0" }, { container: "main", stdin: true });
await session.write("reload\n");

const decoder = new TextDecoder();
let output = "";
for await (const chunk of session.stdout) {
  output += decoder.decode(chunk, { stream: true });
  if (output.includes("reloaded")) break;
}
console.log(output.trim());

// Closing the session leaves the process running.
await session.close();
await client.close();
