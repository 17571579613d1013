// The rows of the table. Each is one turn of work against one server and returns milliseconds.
import { protobuf } from "../../../dist/codec/protobuf/index.js";
import { makePod } from "../objects.mjs";

const codec = protobuf();
const protobufType = "application/vnd.kubernetes.protobuf";

/**
 * Runs `count` operations, `width` at a time, and returns the milliseconds of each. Bodies are created before the clock
 * starts.
 */
async function timed(operations, width) {
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: Math.min(width, operations.length) }, async () => {
      while (next < operations.length) {
        next += 1;
        await operations[next - 1]();
      }
    }),
  );
  return (performance.now() - started) / operations.length;
}

async function once(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Returns the state for the turns, of a server that has no objects yet. */
export function emptyState(server, { label }) {
  const writes = `writes-${label}`;
  return {
    server,
    closers: [],
    serial: 0,
    writes: `/api/v1/namespaces/${writes}/pods`,
    full: `/api/v1/namespaces/full-${label}/pods`,
    configs: `/api/v1/namespaces/${writes}/configmaps`,
    targets: Array.from({ length: 500 }, (_, i) => `target-${i}`),
  };
}

/** True for a row of single requests without TLS. */
export function isSmall(name) {
  return /^(?:create|update|patch|apply|get) /.test(name) && !name.includes("TLS");
}

/**
 * Prepares a server: creates a namespace for writes, and one with `pods` pods for lists. Returns the state for the
 * turns.
 */
export async function prepare(server, options) {
  const { pods, label } = options;
  const writes = `writes-${label}`;
  const full = `full-${label}`;
  for (const namespace of [writes, full]) {
    await server.send("POST", "/api/v1/namespaces", JSON.stringify({ metadata: { name: namespace } }));
    await server
      .send(
        "POST",
        `/api/v1/namespaces/${namespace}/serviceaccounts`,
        JSON.stringify({ metadata: { name: "default" } }),
      )
      .catch(() => undefined);
  }
  const state = emptyState(server, options);
  const encode = Array.from({ length: pods }, (_, i) => Buffer.from(JSON.stringify(makePod(`pod-${i}`))));
  state.fill = await timed(
    encode.map((body) => () => server.send("POST", state.full, body)),
    16,
  );
  await timed(
    state.targets.map((name) => () => server.send("POST", state.writes, JSON.stringify(makePod(name)))),
    16,
  );
  return state;
}

const fresh = (state) => `n${(state.serial += 1)}`;

function creates(width, count, encode = (object) => JSON.stringify(object), headers = {}) {
  return (state) =>
    timed(
      Array.from({ length: count }, () => {
        const body = Buffer.from(encode(makePod(fresh(state))));
        return () => state.server.send("POST", state.writes, body, headers);
      }),
      width,
    );
}

/** Changes existing pods, 8 at a time. */
function changes(count, make, encode = (object) => JSON.stringify(object)) {
  return (state) =>
    timed(
      Array.from({ length: count }, () => {
        const serial = (state.serial += 1);
        const name = state.targets[serial % state.targets.length];
        const { method, path, body, headers } = make(name, String(serial));
        const content = Buffer.from(encode(body));
        return () => state.server.send(method, `${state.writes}/${name}${path ?? ""}`, content, headers);
      }),
      8,
    );
}

const list =
  (query, headers = {}) =>
  (state) =>
    once(() => state.server.send("GET", `${state.full}${query}`, undefined, headers));

/** Lists right after a write, so that the server can't reuse its response for the previous list. */
const listAfterWrite = (headers) => async (state) => {
  await state.server.send("POST", state.full, JSON.stringify(makePod(fresh(state))));
  return list("", headers)(state);
};

/** Reads all pages of a list and decodes only the continue token. */
const pages = (limit) => (state) =>
  once(async () => {
    for (let token = ""; ; ) {
      const { metadata } = await state.server.json(
        "GET",
        `${state.full}?limit=${limit}${token === "" ? "" : `&continue=${token}`}`,
      );
      if (metadata.continue === undefined || metadata.continue === "") return;
      token = metadata.continue;
    }
  });

/** Measures a streaming list from the request to the bookmark that ends the initial events. */
const watchList = (headers) => (state) =>
  once(async () => {
    const response = await state.server.open(
      "GET",
      `${state.full}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      undefined,
      headers,
    );
    let tail = "";
    await new Promise((resolve, reject) => {
      response.on("error", reject);
      response.on("data", (chunk) => {
        tail = (tail + chunk.subarray(-600).toString("latin1")).slice(-1200);
        if (tail.includes("k8s.io/initial-events-end")) resolve();
      });
    });
    response.on("error", () => undefined);
    response.destroy();
  });

/**
 * Measures changes to ConfigMaps with many watches, from the first request until every watch has received the last
 * event.
 */
const fanOut = (watchers, count) => async (state) => {
  const expected = watchers * count;
  let seen = 0;
  let done;
  const all = new Promise((resolve) => {
    done = resolve;
  });
  const { metadata } = await state.server.json("GET", `${state.configs}?limit=1`);
  const streams = await Promise.all(
    Array.from({ length: watchers }, async () => {
      const response = await state.server.open(
        "GET",
        `${state.configs}?watch=1&resourceVersion=${metadata.resourceVersion}`,
      );
      response.on("data", (chunk) => {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen += 1;
        if (seen >= expected) done();
      });
      response.on("error", () => undefined);
      return response;
    }),
  );
  const config = () => JSON.stringify({ metadata: { name: fresh(state) }, data: { k: "v".repeat(500) } });
  const time = await once(async () => {
    for (let i = 0; i < count; i += 1) await state.server.send("POST", state.configs, config());
    await all;
  });
  for (const stream of streams) stream.destroy();
  return time;
};

/** Runs a turn over TLS with the given HTTP version. The connections are kept for all its turns. */
function overTls(protocol, turn) {
  return (state) => {
    state.tls ??= new Map();
    if (!state.tls.has(protocol)) {
      const client = state.server.overTls(protocol);
      // Start from another serial, so that names don't collide.
      state.tls.set(protocol, { ...state, server: { ...state.server, ...client }, serial: 1e6 * (state.tls.size + 1) });
      state.closers.push(client.close);
    }
    return turn(state.tls.get(protocol));
  };
}

/** Rows that show the cost of TLS: small requests, large responses and many streams. */
function tlsRows({ pods, watchers }) {
  return ["HTTP/1.1", "HTTP/2"].flatMap((protocol) =>
    [
      ["create a pod, 8 clients", "ms each", creates(8, 300)],
      ["get a pod, 8 clients", "ms each", gets(pods)],
      [`list ${pods} pods, JSON`, "ms", list("")],
      [`list ${pods} pods, Protobuf`, "ms", list("", { accept: protobufType })],
      [`100 changes to ${watchers} watchers`, "ms", fanOut(watchers, 100)],
    ].map(([name, unit, turn]) => [`${name}, TLS, ${protocol}`, unit, overTls(protocol, turn)]),
  );
}

const gets = (pods) => (state) =>
  timed(
    Array.from({ length: 400 }, (_, i) => () => state.server.send("GET", `${state.full}/pod-${i % pods}`)),
    8,
  );

/** Returns the name, the unit and the turn of each row. */
export function rowsFor({ pods, watchers }) {
  const accept = { accept: protobufType };
  const bothProtobuf = { "content-type": protobufType, ...accept };
  const encode = (object) => codec.encode(object);
  const merge = { "content-type": "application/strategic-merge-patch+json" };
  return [
    ["create a pod, one client", "ms each", creates(1, 100)],
    ["create a pod, 8 clients", "ms each", creates(8, 300)],
    ["create a pod, 16 clients", "ms each", creates(16, 300)],
    ["create a pod, Protobuf, 8 clients", "ms each", creates(8, 300, encode, bothProtobuf)],
    [
      "update a pod, 8 clients",
      "ms each",
      changes(200, (name, serial) => ({ method: "PUT", body: makePod(name, { serial }) })),
    ],
    [
      "update a pod, Protobuf, 8 clients",
      "ms each",
      changes(
        200,
        (name, serial) => ({ method: "PUT", body: makePod(name, { serial }), headers: bothProtobuf }),
        encode,
      ),
    ],
    [
      "patch a pod's labels (strategic), 8 clients",
      "ms each",
      changes(200, (_, serial) => ({ method: "PATCH", body: { metadata: { labels: { serial } } }, headers: merge })),
    ],
    [
      "patch a pod's status (strategic), 8 clients",
      "ms each",
      changes(200, (_, serial) => ({
        method: "PATCH",
        path: "/status",
        body: { status: { phase: "Running", message: serial } },
        headers: merge,
      })),
    ],
    [
      "apply a pod (server-side), 8 clients",
      "ms each",
      changes(200, (name, serial) => ({
        method: "PATCH",
        path: "?fieldManager=bench&force=true",
        body: makePod(name, { serial }),
        headers: { "content-type": "application/apply-patch+yaml" },
      })),
    ],
    ["get a pod, 8 clients", "ms each", gets(pods)],
    [`list ${pods} pods, JSON`, "ms", list("")],
    [`list ${pods} pods, Protobuf`, "ms", list("", accept)],
    [`list ${pods} pods, JSON, gzip`, "ms", list("", { "accept-encoding": "gzip" })],
    [`list ${pods} pods, Protobuf, gzip`, "ms", list("", { ...accept, "accept-encoding": "gzip" })],
    [`list ${pods} pods after a write, JSON`, "ms", listAfterWrite({})],
    [`list ${pods} pods after a write, Protobuf`, "ms", listAfterWrite(accept)],
    [`list ${pods} pods in pages of 500, JSON`, "ms", pages(500)],
    [`list by label a tenth of ${pods} pods, JSON`, "ms", list("?labelSelector=tier%3Dseven")],
    [`watch ${pods} pods from the start (streaming list), JSON`, "ms", watchList({})],
    [`watch ${pods} pods from the start (streaming list), Protobuf`, "ms", watchList(accept)],
    [`100 changes to ${watchers} watchers`, "ms", fanOut(watchers, 100)],
    ...tlsRows({ pods, watchers }),
  ];
}
