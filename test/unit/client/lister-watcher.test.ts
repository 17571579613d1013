import { expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../src/client/client.js";
import { createListerWatcher } from "../../../src/client/lister-watcher.js";
import type { ListerWatcher } from "../../../src/client/resource/collection.js";
import { StatusError } from "../../../src/errors/status-error.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { ConfigMap, Node } from "../../../src/kinds/core/v1.js";
import type { ListOptions, WatchOptions } from "../../../src/meta/options.js";
import { bearerToken } from "../../../src/transport/bearer-token.js";
import { type Answer, scripted } from "./scripted-transport.js";

const deployment = { metadata: { name: "web", namespace: "shop", resourceVersion: "6" } };
const page: Answer = {
  body: { kind: "DeploymentList", apiVersion: "apps/v1", metadata: { resourceVersion: "7" }, items: [deployment] },
};
const event = { kind: "Deployment", apiVersion: "apps/v1", metadata: { ...deployment.metadata, resourceVersion: "8" } };
const watch: Answer = { body: [`${JSON.stringify({ type: "MODIFIED", object: event })}\n`] };
const lists: ListOptions[] = [
  {},
  { limit: 2, continue: "more", labelSelector: "app in (a,b)", retry: false },
  { resourceVersion: "7", resourceVersionMatch: "NotOlderThan", idleTimeoutMs: 0 },
];
const watches: WatchOptions[] = [
  { resourceVersion: "7", allowWatchBookmarks: true, timeoutSeconds: 300 },
  { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", fieldSelector: "metadata.name=web" },
];

/** Reads everything once and returns it. */
async function read(source: ListerWatcher<Deployment>): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const options of lists) for await (const chunk of source.listChunks(options)) found.push(chunk);
  for (const options of watches) for await (const each of source.watch(options)) found.push(each);
  return found;
}

it("a lister-watcher sends the same requests as a client's resource and returns the same objects", async () => {
  const answers = [...lists.map(() => page), ...watches.map(() => watch)];
  const [own, clients] = [scripted(...answers), scripted(...answers)];
  const source = createListerWatcher(Deployment, { transport: own, namespace: "shop" });
  const resource = createClient({ transport: clients }).resource(Deployment).namespace("shop");
  const found = await read(source);
  expect(found).toEqual(await read(resource));
  expect(found).toHaveLength(5);
  const sent = ({ signal: _, ...request }: (typeof own.requests)[number]): object => request;
  expect(own.requests.map(sent)).toEqual(clients.requests.map(sent));
  const identity = ({ description, cacheKey, groupVersionResource }: ListerWatcher<unknown>): unknown[] => [
    description,
    cacheKey,
    groupVersionResource,
  ];
  expect(identity(source)).toEqual(identity(resource));
});

it("a lister-watcher repeats a list that the server throttled, unless retries are off", async () => {
  const throttled: Answer = { status: 429, headers: { "retry-after": "0" }, body: "slow down" };
  const transport = scripted(throttled, page, throttled);
  const source = createListerWatcher(Deployment, { transport });
  await expect(source.listChunks().next()).resolves.toMatchObject({ value: { items: [deployment] } });
  await expect(source.listChunks({ retry: false }).next()).rejects.toMatchObject({ code: 429 });
});

it("a lister-watcher rejects an object of another kind, and a namespace for a cluster-scoped kind", async () => {
  const transport = scripted({ body: { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] } });
  const source = createListerWatcher(Deployment, { transport });
  await expect(source.listChunks().next()).rejects.toThrow("expected a list of Deployment, got PodList");
  expect(() => createListerWatcher(Node, { transport, namespace: "shop" })).toThrow(TypeError);
  expect(() => createListerWatcher(ConfigMap, { transport, namespace: "a/b" })).toThrow("must not contain");
});

it("no error of a lister-watcher shows a token that the server repeats, in any encoding", async () => {
  const token = "s3cr3t-t0ken-of-a-user";
  const echo = [token, btoa(token), encodeURIComponent(`?${token}`), Buffer.from(token).toString("hex")].join(" ");
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden", message: echo };
  const transport = scripted(
    { status: 403, body: status },
    { body: [`${JSON.stringify({ type: "ERROR", object: status })}\n`] },
    { status: 500, headers: { "content-type": "text/plain" }, body: echo },
  );
  const source = createListerWatcher(ConfigMap, { transport, interceptors: [bearerToken(token)] });
  const reads = [() => source.listChunks(), () => source.watch(), () => source.listChunks({ retry: false })];
  for (const open of reads) {
    const error: unknown = await open()
      .next()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatusError);
    const { message, stack, status: shown } = error as StatusError;
    const text = `${message}${String(stack)}${JSON.stringify(shown)}`;
    expect(text).toContain("[redacted]");
    for (const form of echo.split(" ")) expect(text).not.toContain(form);
  }
  expect(transport.requests.map(({ headers }) => headers["authorization"])).toEqual(reads.map(() => `Bearer ${token}`));
});

it("an informer follows a collection through a lister-watcher and ends its watch when it closes", async () => {
  const transport = scripted(page, { body: [...(watch.body as string[]), "hang"] });
  const source = createListerWatcher(Deployment, { transport, namespace: "shop" });
  const informer = createInformer(source, { initialList: "list" });
  await informer.waitForResourceVersion("8");
  expect(informer.store.get("shop/web")?.metadata?.resourceVersion).toBe("8");
  expect(informer.metrics.encoding.state).toBe("fixed");
  await informer.close();
  expect(transport.open()).toBe(0);
});
