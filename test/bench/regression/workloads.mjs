// Workloads of the regression check. They use only the public API, so that they run on builds of older commits.
// Each turn is prepared outside the measured time.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { makePod, makeStoredPod } from "../objects.mjs";

const protobufType = "application/vnd.kubernetes.protobuf";
const pods = "/api/v1/namespaces/default/pods";

/** Creates the workloads for a build. `folder` is its `dist`. */
export async function createWorkloads(folder) {
  const load = (path) => import(pathToFileURL(join(folder, path)).href);
  const { createClient, handlerTransport } = await load("index.js");
  const { createInformer } = await load("cache/index.js");
  const { createApiServer } = await load("apiserver/index.js");
  const { protobuf } = await load("codec/protobuf/index.js");
  const { json } = await load("codec/index.js");
  const { Pod } = await load("kinds/core/v1.js");
  const codec = protobuf();
  const server = createApiServer();
  const { signal } = new AbortController();

  async function send(method, path, body, headers = {}) {
    const mark = path.indexOf("?");
    const all = { "content-type": "application/json", "user-agent": "bench/1.0", ...headers };
    const response = await server.serve({
      method,
      path: mark < 0 ? path : path.slice(0, mark),
      query: mark < 0 ? "" : path.slice(mark + 1),
      header: (name) => all[name],
      headerValues: (name) => (all[name] === undefined ? [] : [all[name]]),
      headerNames: () => Object.keys(all),
      readBody: () => Promise.resolve(body ?? new Uint8Array()),
      signal,
    });
    const { body: answer } = response;
    // Large lists are streams.
    while (typeof answer?.next === "function" && !(await answer.next()).done);
    if (response.status > 299) throw new Error(`${method} ${path}: ${response.status} ${Buffer.from(response.body)}`);
    return response;
  }
  const encode = (object) => Buffer.from(JSON.stringify(object));

  // The controllers inside the server create the namespace `default` and the account of each namespace.
  await send("POST", "/api/v1/namespaces", encode({ metadata: { name: "created" } }));
  await server.settled();
  let serial = 0;
  const targets = 50;
  for (let i = 0; i < targets; i += 1) await send("POST", pods, encode(makePod(`target-${i}`)));
  const target = () => `${pods}/target-${serial % targets}`;

  /** A turn of `count` requests, which are encoded outside the measured time. */
  const requests = (count, make) => ({
    prepare: () => Array.from({ length: count }, () => make(++serial)),
    async run(all) {
      for (const request of all) await send(...request);
    },
  });
  const creates = (count, encodePod, headers) =>
    requests(count, (n) => ["POST", "/api/v1/namespaces/created/pods", encodePod(makePod(`new-${n}`)), headers]);
  const patch = { "content-type": "application/strategic-merge-patch+json" };
  const stored = Array.from({ length: 1_000 }, (_, i) => makeStoredPod(i));
  const listOf = (items) => ({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "9999" }, items });
  const jsonList = encode(listOf(stored));
  const protobufList = codec.encode(listOf(stored));
  const events = Buffer.from(stored.map((object) => `${JSON.stringify({ type: "MODIFIED", object })}\n`).join(""));
  const decodeList = (decoderOf, bytes, options) => ({
    prepare: () => decoderOf.createListDecoder(options),
    run(decoder) {
      let count = 0;
      for (let at = 0; at < bytes.length; at += 65_536)
        count += [...decoder.push(bytes.subarray(at, at + 65_536))].length;
      count += decoder.end().items.length;
      if (count !== stored.length) throw new Error(`${count} items`);
    },
  });

  return {
    "create a pod": creates(40, encode),
    "create a pod, Protobuf": creates(40, (pod) => codec.encode(pod), {
      "content-type": protobufType,
      accept: protobufType,
    }),
    "update a pod": requests(40, (n) => [
      "PUT",
      target(),
      encode(makePod(`target-${n % targets}`, { serial: String(n) })),
    ]),
    "patch labels": requests(40, (n) => [
      "PATCH",
      target(),
      encode({ metadata: { labels: { serial: String(n) } } }),
      patch,
    ]),
    "patch a status": requests(40, (n) => [
      "PATCH",
      `${target()}/status`,
      encode({ status: { phase: "Running", message: String(n) } }),
      patch,
    ]),
    "apply a pod": requests(40, (n) => [
      "PATCH",
      `${target()}?fieldManager=bench&force=true`,
      encode(makePod(`target-${n % targets}`, { serial: String(n) })),
      { "content-type": "application/apply-patch+yaml" },
    ]),
    "get a pod": requests(200, () => ["GET", target()]),
    "list pods after a write": requests(20, (n) =>
      n % 2 === 0 ? ["PATCH", target(), encode({ metadata: { labels: { serial: String(n) } } }), patch] : ["GET", pods],
    ),
    "decode a list, JSON": decodeList(json(), jsonList, {}),
    "decode a list, JSON, lazily": decodeList(json(), jsonList, { lazy: true }),
    "decode a list, Protobuf": decodeList(codec, protobufList, {}),
    "decode a list, Protobuf, lazily": decodeList(codec, protobufList, { lazy: true }),
    "decode a watch, JSON": {
      prepare: () => json().createWatchDecoder({}),
      run(decoder) {
        let count = 0;
        for (let at = 0; at < events.length; at += 65_536)
          count += [...decoder.push(events.subarray(at, at + 65_536))].length;
        if (count !== stored.length) throw new Error(`${count} events`);
      },
    },
    "sync an informer": {
      prepare() {
        const headers = { "content-type": "application/json" };
        const client = createClient({
          transport: handlerTransport((request) =>
            Promise.resolve(
              new Response(request.url.includes("watch=") ? new ReadableStream() : jsonList, { headers }),
            ),
          ),
        });
        return { client, informer: createInformer(client.resource(Pod), { initialList: "list" }) };
      },
      async run({ client, informer }) {
        informer.start();
        await informer.synced();
        await informer.close();
        await client.close();
      },
    },
  };
}
