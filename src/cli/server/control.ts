import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiServer } from "../../apiserver/server.js";

/** Endpoint for tests. */
export interface Control {
  /** Path and query of the endpoint, with its token. */
  readonly path: string;
  /** Handles a request, or returns false if it isn't for the endpoint. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean;
}

const maxBodyBytes = 16 * 1024 * 1024;

/** Creates the control endpoint: `{"action": "compact", "revision": "12"}`. */
export function createControl(server: Pick<ApiServer, "compact">): Control {
  const path = `/__control?token=${randomBytes(24).toString("hex")}`;
  const prefix = path.slice(0, path.indexOf("?"));
  return {
    path,
    handle(request, response) {
      const { url = "" } = request;
      if (url.split("?")[0] !== prefix) return false;
      const answer = (status: number, text: string): void => {
        if (!response.headersSent) response.writeHead(status, { "Content-Type": "text/plain" }).end(`${text}\n`);
      };
      if (url.length !== path.length || !timingSafeEqual(Buffer.from(url, "latin1"), Buffer.from(path, "latin1"))) {
        answer(401, "the URL must contain the token that was printed at the start");
        request.resume();
        return true;
      }
      let chunks: Buffer[] = [];
      let size = 0;
      request.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxBodyBytes) chunks.push(chunk);
        else {
          chunks = [];
          response.shouldKeepAlive = false;
          answer(413, `the body is larger than ${maxBodyBytes} bytes`);
        }
      });
      request.on("end", () => {
        if (size > maxBodyBytes) return;
        try {
          const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as {
            action?: string;
            revision?: string | number;
          };
          if (request.method !== "POST" || body.action !== "compact")
            throw new TypeError(`unknown action ${JSON.stringify(body.action ?? "")}`);
          server.compact(body.revision === undefined ? undefined : Number(body.revision));
          answer(200, "{}");
        } catch (error) {
          answer(400, error instanceof Error ? error.message : String(error));
        }
      });
      return true;
    },
  };
}
