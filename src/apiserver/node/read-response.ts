import type { ClientRequest, IncomingMessage } from "node:http";

/** Reads the body of a response. Rejects, and ends the request, if it's longer than `limit` bytes. */
export function readResponse(request: ClientRequest, response: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else request.destroy(new Error(`the response is longer than ${String(limit)} bytes`));
    });
    response.on("error", reject);
    response.on("end", () => resolve(Buffer.concat(chunks)));
  });
}
