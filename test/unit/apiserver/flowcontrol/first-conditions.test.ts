import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createClient } from "../../../../src/client/client.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { FlowSchema } from "../../../../src/kinds/flowcontrol/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";

it("the first FlowSchemas have their controller's condition from the start", async () => {
  const server = createApiServer({ clock: { ...systemClock, now: () => 1_700_000_000_000 } });
  const client = createClient({ transport: handlerTransport(server.handle) });
  const resource = client.resource(FlowSchema);
  const atOnce = server.dump({ kinds: ["FlowSchema"] });
  await server.settled();
  expect(server.dump({ kinds: ["FlowSchema"] })).toEqual(atOnce);
  const first = (await resource.list()).items;
  for (const { metadata } of first)
    await resource
      .subresource("status")
      .patch(metadata!.name!, { type: "merge", patch: { status: { conditions: null } } });
  await server.settled();
  const written = (await resource.list()).items;
  const comparable = (items: typeof first): unknown =>
    items.map(({ metadata, ...rest }) => {
      const { resourceVersion: _, ...own } = metadata!;
      return { ...rest, metadata: own };
    });
  expect(JSON.stringify(comparable(first))).toBe(JSON.stringify(comparable(written)));
  const versions = (items: typeof first): unknown[] => items.map(({ metadata }) => metadata?.resourceVersion);
  expect(versions(first)).not.toEqual(versions(written));
  await client.close();
  await server.close();
});
