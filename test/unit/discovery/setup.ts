import { createClient } from "../../../src/client/client.js";
import type { TransportRequest } from "../../../src/transport/transport.js";
import { fakeClock } from "../client/fake-clock.js";
import { type Answer, scripted } from "../client/scripted-transport.js";

/** Creates a client whose server responds by path, in any order, and with 404 to other paths. */
export function server(paths: Record<string, Answer | ((request: TransportRequest) => Answer)>) {
  const answer = (request: TransportRequest): Answer => {
    const found = paths[request.path.split("?")[0]!];
    if (found === undefined)
      return { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found" };
    return typeof found === "function" ? found(request) : found;
  };
  const transport = scripted(...Array.from({ length: 40 }, () => answer));
  const clock = fakeClock();
  return { transport, clock, client: createClient({ transport, retry: false }) };
}
