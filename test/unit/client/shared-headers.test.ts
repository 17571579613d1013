import { expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { type DirectTransport, sendDirect } from "../../../src/transport/direct.js";
import { scripted } from "./scripted-transport.js";

// Transports cache data derived from a headers object, so the client must not keep too many of them.
it("client bounds its cache of header objects per media type", async () => {
  const seen: object[] = [];
  const answers = scripted(...Array.from({ length: 500 }, () => ({ body: {} })));
  const transport: DirectTransport = {
    ...answers,
    [sendDirect]({ abort: _abort, ...request }) {
      seen.push(request.headers);
      return answers.send({ ...request, signal: new AbortController().signal });
    },
  };
  const client = createClient({ transport });
  const ask = async (type: string): Promise<object> => {
    await (await client.request({ path: "/x", accept: `text/${type}` })).text();
    return seen.at(-1)!;
  };
  const first = await ask("first");
  expect(await ask("first")).toBe(first);
  for (let i = 0; i < 150; i += 1) await ask(`x${String(i)}`);
  expect(await ask("first")).not.toBe(first);
});
