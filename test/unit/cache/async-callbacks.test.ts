import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../src/client/client.js";
import { rateLimit } from "../../../src/interceptors/rate-limit.js";
import { handleRejection } from "../../../src/internal/handle-rejection.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { createVirtualClock, settle } from "../../support/virtual-clock.js";

const rejects: () => unknown = () => Promise.reject(new Error("from the callback"));

it("a promise that onWait of rateLimit returns may reject without ending the process or the request", async () => {
  const server = createApiServer({ controllers: false });
  const clock = createVirtualClock();
  const waits: number[] = [];
  const onWait = (waitMs: number): unknown => {
    waits.push(waitMs);
    return rejects();
  };
  const interceptors = [rateLimit({ qps: 1, burst: 1, clock, onWait })];
  const client = createClient({ transport: handlerTransport(server.handle), interceptors });
  const lists = Array.from({ length: 3 }, () => client.resource(ConfigMap).list());
  await expect.poll(() => clock.pending).toBe(2);
  await clock.advance(2_000);
  await Promise.all(lists);
  await settle();
  expect(waits).toEqual([1_000, 2_000]);
  await client.close();
  await server.close();
});

it("a promise that a status handler returns may reject, and the informer reports it", async () => {
  const server = createApiServer({ controllers: false });
  const client = createClient({ transport: handlerTransport(server.handle) });
  const errors: unknown[] = [];
  const informer = createInformer(client.resource(ConfigMap), { onError: (error) => errors.push(error) });
  informer.onStatus(rejects);
  await informer.synced();
  await informer.close();
  await client.close();
  await server.close();
  await settle();
  expect(errors).toContainEqual(new Error("from the callback"));
});

it("handleRejection reports the rejection of a promise, and nothing for other results", async () => {
  const errors: unknown[] = [];
  handleRejection(rejects(), (error) => errors.push(error));
  for (const result of [undefined, 1, Promise.resolve()]) handleRejection(result, (error) => errors.push(error));
  await settle();
  expect(errors).toEqual([new Error("from the callback")]);
});
