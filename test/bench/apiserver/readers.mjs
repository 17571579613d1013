// Readers of the bench of fair queuing, in a process of their own. They write prepared bytes to sockets, because an HTTP
// client of Node takes longer for a request than a server does, and a queue that is waiting for its clients loses its
// seat. Reads options as JSON from the command line, and prints the records of the requests as JSON.
import net from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import tls from "node:tls";

const { url, token, path, headers, readers, forMs } = JSON.parse(process.argv[2]);
const { protocol, hostname: host, port, host: authority } = new URL(url);
const lines = [`GET ${path} HTTP/1.1`, `host: ${authority}`, `authorization: Bearer ${token}`, "user-agent: bench/1.0"];
for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
const until = performance.now() + forMs;
const records = [];

/** Connects, and returns a function that sends the request and resolves with the response's status. */
async function connect() {
  const secure = protocol === "https:";
  const socket = secure ? tls.connect({ host, port, rejectUnauthorized: false }) : net.connect({ host, port });
  await new Promise((resolve, reject) =>
    socket.once(secure ? "secureConnect" : "connect", resolve).once("error", reject),
  );
  socket.setNoDelay(true);
  let text = "";
  let answered;
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    const length = /content-length: (\d+)/i.exec(text)?.[1];
    if (end < 0 || length === undefined || text.length < end + 4 + Number(length)) return;
    const status = Number(text.slice(9, 12));
    text = "";
    answered.resolve(status);
  });
  socket.on("close", () => answered?.reject(new Error(`the server closed the connection: ${text}`)));
  return {
    send: () =>
      new Promise((resolve, reject) => {
        answered = { resolve, reject };
        socket.write(bytes);
      }),
    close: () => socket.destroy(),
  };
}

/** Sends requests one after the other until the end. */
async function read() {
  const { send, close } = await connect();
  while (performance.now() < until) {
    const start = performance.now();
    const status = await send();
    records.push({ status, ms: performance.now() - start });
    if (status === 429) await wait(100);
  }
  close();
}

await Promise.all(Array.from({ length: readers }, read));
console.log(JSON.stringify(records));
