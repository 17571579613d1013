import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { systemClock } from "../../internal/clock.js";
import { whenClosed } from "../../internal/when-closed.js";

/** Access to the profiling endpoints: for requests of this machine, or for holders of a token. */
export type ProfilingOptions = boolean | { readonly token: string };

/** Serves the profiling endpoints. */
export interface Profiler {
  /** Responds to a request below `/debug`. */
  respond(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
}

const longestSeconds = 60;

/** Creates a profiler. Throws a `TypeError` for an empty token. */
export function createProfiler(options: ProfilingOptions): Profiler {
  const token = typeof options === "object" ? options.token : undefined;
  if (token === "") throw new TypeError("options.profiling.token must not be empty");
  let busy = false;
  return {
    async respond(request, response, url) {
      const refusal = token === undefined ? refuseRemote(request) : refuseStranger(request, token);
      if (refusal !== undefined) {
        refuse(response, refusal.status, refusal.text);
        return;
      }
      const profile = url.pathname === "/debug/profile" ? sendCpuProfile : sendHeapSnapshot;
      if (url.pathname !== "/debug/profile" && url.pathname !== "/debug/heap") refuse(response, 404, "not found");
      else if (busy) refuse(response, 429, "another profile is being taken");
      else {
        busy = true;
        try {
          await profile(response, url);
        } finally {
          busy = false;
        }
      }
    },
  };
}

/** Sends a CPU profile for the given time, in the format of Chrome's developer tools. */
async function sendCpuProfile(response: ServerResponse, url: URL): Promise<void> {
  const seconds = Number(url.searchParams.get("seconds") ?? "10");
  if (!(seconds > 0 && seconds <= longestSeconds)) {
    refuse(response, 400, `seconds must be greater than 0 and at most ${longestSeconds}`);
    return;
  }
  // Not at the top, like the module of the heap: some runtimes lack them.
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await pause(seconds * 1_000, response);
    const { profile } = await session.post("Profiler.stop");
    head(response, "cpuprofile").end(JSON.stringify(profile));
  } finally {
    session.disconnect();
  }
}

/** Sends a snapshot of the heap. The process stands still while it is taken. */
async function sendHeapSnapshot(response: ServerResponse): Promise<void> {
  const { getHeapSnapshot } = await import("node:v8");
  await pipeline(getHeapSnapshot(), head(response, "heapsnapshot"));
}

function head(response: ServerResponse, type: string): ServerResponse {
  return response.writeHead(200, {
    "content-type": "application/json",
    "content-disposition": `attachment; filename="${process.pid}-${Date.now()}.${type}"`,
    "cache-control": "no-store",
  });
}

/** Waits, and not longer than the client. */
function pause(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = systemClock.setTimer(resolve, ms);
    whenClosed(response, response.req.socket, () => {
      timer.cancel();
      resolve();
    });
  });
}

type Refusal = { readonly status: number; readonly text: string };

/** Refuses requests of other machines, also through a proxy, and those of a page that rebound its name to this machine. */
function refuseRemote({ socket, headers }: IncomingMessage): Refusal | undefined {
  const forwarded = headers.forwarded ?? headers["x-forwarded-for"];
  const host = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(headers.host ?? "");
  // A page of another site can't read the answer, but a snapshot stops the process for seconds.
  const site = headers["sec-fetch-site"] ?? "none";
  const isOwn = site === "none" || site === "same-origin";
  const isLocal = isOwn && isLoopback(socket.remoteAddress ?? "") && isLoopback(host?.[1] ?? host?.[2] ?? "");
  return isLocal && forwarded === undefined
    ? undefined
    : { status: 403, text: "profiling is limited to requests from this machine unless options.profiling.token is set" };
}

function isLoopback(name: string): boolean {
  const address = name.toLowerCase().replace(/^::ffff:/, "");
  return address === "localhost" || address === "::1" || /^127(?:\.\d{1,3}){3}$/.test(address);
}

function refuseStranger({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token))
    ? undefined
    : { status: 401, text: "the token is missing or wrong" };
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...(status === 429 && { "retry-after": "10" }),
    })
    .end(`${text}\n`);
}
