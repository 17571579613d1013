import { describe, expect, it } from "vitest";
import type { ServiceHandler } from "../../../../src/apiserver/http/service-resolver.js";
import { type PlainHandler, plainHandler } from "../../../../src/internal/plain-handler.js";
import { backend, type Json, useAggregator, user, versionPath } from "./metrics-api.js";

const aggregator = useAggregator();
const { condition, get, send, start } = aggregator;

describe("an APIService whose Service is a function of the test", () => {
  const resolveService = (): ServiceHandler => backend;

  it("becomes available", async () => {
    await start({ resolveService });
    expect(await condition()).toMatchObject({ status: "True", reason: "Passed", message: "all checks passed" });
  });

  it.each([
    ["whole", true],
    ["streamed", false],
  ])("is checked through its plain form if the response is %s", async (_how, isWhole) => {
    const fetches: string[] = [];
    let cancelled = 0;
    const seen: Readonly<Record<string, string>>[] = [];
    const plain: PlainHandler = async ({ path, headers }) => {
      seen.push(headers);
      const response = await backend(new Request(`https://backend${path}`));
      const bytes = new Uint8Array(await response.arrayBuffer());
      const reader = {
        read: () => Promise.reject(new Error("unread")),
        cancel: () => Promise.resolve(void cancelled++),
      };
      return { status: response.status, headers: response.headers, body: isWhole ? bytes : reader };
    };
    const handler: ServiceHandler = (request) => {
      fetches.push(request.url);
      return backend(request);
    };
    await start({ resolveService: () => Object.assign(handler, { [plainHandler]: plain }) });
    expect(await condition()).toMatchObject({ status: "True", reason: "Passed" });
    expect(seen[0]).toMatchObject({ accept: "application/json", "x-remote-group": "system:masters" });
    expect(await get(versionPath)).toMatchObject({ resources: [{ name: "loads" }, { name: "loads/status" }] });
    expect(cancelled > 0).toBe(!isWhole);
    expect(fetches.some((url) => url.endsWith("/openapi/v3"))).toBe(!isWhole);
  });

  it("gets requests with the user in headers, and without credentials or forged users", async () => {
    await start({ resolveService });
    const forged = { "x-remote-user": "root", authorization: "Bearer secret", "x-other": "kept" };
    const answer = await send("POST", `${versionPath}/namespaces/a/loads?dryRun=All`, { a: 1 }, forged);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-own")).toBe("yes");
    const seen = (await answer.json()) as Json & { headers: Json };
    expect(seen).toMatchObject({
      method: "POST",
      path: `${versionPath}/namespaces/a/loads?dryRun=All`,
      body: '{"a":1}',
    });
    expect(seen.headers).toMatchObject({
      "x-remote-user": "jane",
      "x-remote-uid": "u1",
      "x-remote-group": "dev, system:masters, system:authenticated",
      "x-remote-extra-a%2fb": "c",
      "x-other": "kept",
    });
    expect(seen.headers["authorization"]).toBeUndefined();
    expect(seen.headers["audit-id"]).toBe(answer.headers.get("audit-id"));
  });

  it("decides about status codes and unknown paths itself", async () => {
    await start({ resolveService });
    expect((await send("GET", `${versionPath}/teapots`)).status).toBe(418);
  });

  it("is authorized by the server that passes it on", async () => {
    await start({ resolveService });
    const request = new Request(`http://server${versionPath}/loads`);
    expect((await aggregator.server.handle(request, { user: { ...user, groups: [] } })).status).toBe(403);
  });

  it("streams a response as it arrives, and stops it when the client leaves", async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("first\n")),
      cancel: () => {
        cancelled = true;
      },
    });
    await start({
      resolveService: () => (request) => (request.url.includes("watch=1") ? new Response(stream) : backend(request)),
    });
    const reader = (await send("GET", `${versionPath}/loads?watch=1`)).body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("first\n");
    await reader.cancel();
    await expect.poll(() => cancelled).toBe(true);
  });

  it("answers 503 while the function fails, and recovers", async () => {
    let away = true;
    let nowMs = 1_000_000;
    const clock = { now: () => nowMs, monotonic: () => nowMs, setTimer: () => ({ cancel: () => undefined }) };
    await start({
      clock: clock as never,
      resolveService: () => (request) => {
        if (away) throw new TypeError("gone");
        return backend(request);
      },
    });
    expect(await condition()).toMatchObject({ status: "False", reason: "FailedDiscoveryCheck" });
    expect((await condition())["message"]).toContain("gone");
    const refused = await send("GET", `${versionPath}/loads`);
    expect([refused.status, await refused.text()]).toEqual([503, "service unavailable\n"]);
    away = false;
    nowMs += 2_000;
    expect((await send("GET", `${versionPath}/loads`)).status).toBe(503);
    await aggregator.server.settled();
    expect((await send("GET", `${versionPath}/loads`)).status).toBe(200);
    away = true;
    nowMs += 2_000;
    const failed = await send("GET", `${versionPath}/loads`);
    expect([failed.status, await failed.text()]).toEqual([503, "error trying to reach service: gone\n"]);
    await aggregator.server.settled();
    expect(await condition()).toMatchObject({ status: "False" });
  });
});

it("an APIService without a stored Service isn't available", async () => {
  await start({});
  expect(await condition()).toMatchObject({ status: "False", reason: "ServiceNotFound" });
  expect((await send("GET", `${versionPath}/loads`)).status).toBe(503);
  const { items } = (await get("/apis", {
    accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  })) as { items: { versions: Json[] }[] };
  expect(items.at(-1)!.versions).toEqual([{ version: "v1", freshness: "Stale" }]);
});
