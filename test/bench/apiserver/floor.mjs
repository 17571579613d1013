// A server without any work: it reads the body and sends the same pod each time. Its rows show what the client of the
// bench and Node's HTTP server cost, which no API server on Node can go below.
import http from "node:http";
import { makeStoredPod } from "../objects.mjs";

const pod = Buffer.from(JSON.stringify(makeStoredPod(0)));

http
  .createServer((request, response) => {
    request.resume().on("end", () => {
      const status = request.method === "POST" ? 201 : 200;
      response.writeHead(status, { "content-type": "application/json", "content-length": pod.length }).end(pod);
    });
  })
  .listen(0, "127.0.0.1", function () {
    console.log(JSON.stringify({ url: `http://127.0.0.1:${this.address().port}` }));
  });
