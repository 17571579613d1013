// Forward a local port to a pod, like `kubectl port-forward`, or open one connection without a local port.
import { connect, forwardPorts } from "kubestream/node";
import { connectPort } from "kubestream/streams";

const remote = Number(process.argv[2] ?? 80);
const client = await connect();
const pod = { namespace: "web", name: "pod-0" };

// A service works as well: `{ namespace: "web", service: "web" }`. Without `local`, any free port is used.
const forward = await forwardPorts(client, pod, { ports: [{ remote }], onError: console.error });
const [port] = forward.ports;
console.log("forwarding to the pod:", port?.remote === remote);
const response = await fetch(`http://127.0.0.1:${String(port?.local)}/greeting`, { headers: { connection: "close" } });
console.log(response.status, await response.text());
await forward.close();

const connection = await connectPort(client, pod, remote);
await connection.write(new TextEncoder().encode("GET /greeting HTTP/1.0\r\n\r\n"));
const decoder = new TextDecoder();
let answer = "";
for await (const chunk of connection.data) answer += decoder.decode(chunk, { stream: true });
console.log(answer.split("\r\n")[0]);
await connection.close();
await client.close();
