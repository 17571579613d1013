import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sortKeys } from "../../../src/apiserver/internal/json-value.js";
import { type Listener, listen } from "../../../src/apiserver/node/listen.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../src/certificates/authority.js";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { exchange } from "../../support/raw-http.js";
import { clientFrame, visit, type WebSocketAnswer, type WebSocketVisit } from "../../support/websocket-client.js";
import { missingReason, type RealApiServer, startRealApiServer } from "../real-apiserver.js";

const missing = missingReason();
const maps = "/api/v1/namespaces/ws/configmaps";
const watch = `${maps}?watch=1&resourceVersion=0&timeoutSeconds=1`;
const token = (text: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString("base64url")}`;

type Row = readonly [title: string, path: string, visit: WebSocketVisit | undefined];
type ShortRow = readonly [title: string, path: string, visit?: WebSocketVisit];

// Input is sent after both objects have arrived, because an answer between them could come before or after the second.
const shortRows: readonly ShortRow[] = [
  ["events of the state, then the end of the time", watch],
  ["an old watch path", `/api/v1/watch/namespaces/ws/configmaps?resourceVersion=0&timeoutSeconds=1`],
  ["a watch of one object", `/api/v1/watch/namespaces/ws/configmaps/one?timeoutSeconds=1`],
  ["a version that is too old", `${maps}?watch=1&resourceVersion=1&timeoutSeconds=1`],
  [
    "a streaming list with bookmarks",
    `${maps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1`,
  ],
  ["events as Protobuf", watch, { headers: { Accept: "application/vnd.kubernetes.protobuf" } }],
  ["events as CBOR", watch, { headers: { Accept: "application/cbor" } }],
  ["events as tables", watch, { headers: { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } }],
  [
    "events as metadata",
    watch,
    { headers: { Accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } },
  ],
  ["events as YAML", watch, { headers: { Accept: "application/yaml" } }],
  ...["v4.channel.k8s.io", "base64.binary.k8s.io", "anything", "a, b", "", " x "].map(
    (protocol): ShortRow => [
      `the subprotocol "${protocol}"`,
      watch,
      { headers: { "Sec-WebSocket-Protocol": protocol } },
    ],
  ),
  [
    "a token as subprotocol",
    watch,
    { headers: { Authorization: "(none)", "Sec-WebSocket-Protocol": `${token("admin-token")}, base64.binary.k8s.io` } },
  ],
  [
    "a token as subprotocol and two others",
    watch,
    { headers: { Authorization: "(none)", "Sec-WebSocket-Protocol": `x, ${token("admin-token")}, y` } },
  ],
  [
    "a token as the only subprotocol",
    watch,
    { headers: { Authorization: "(none)", "Sec-WebSocket-Protocol": token("admin-token") } },
  ],
  [
    "a bad token as subprotocol",
    watch,
    { headers: { Authorization: "(none)", "Sec-WebSocket-Protocol": `${token("nobody")}, x` } },
  ],
  [
    "a token as subprotocol that is no base64url",
    watch,
    { headers: { Authorization: "(none)", "Sec-WebSocket-Protocol": "base64url.bearer.authorization.k8s.io.*, x" } },
  ],
  [
    "two tokens as subprotocols",
    watch,
    {
      headers: {
        Authorization: "(none)",
        "Sec-WebSocket-Protocol": `${token("admin-token")}, ${token("admin-token")}, x`,
      },
    },
  ],
  [
    "a token in the header and as subprotocol",
    watch,
    { headers: { "Sec-WebSocket-Protocol": `${token("admin-token")}, x` } },
  ],
  [
    "a bad token in the header and a good one as subprotocol",
    watch,
    { headers: { Authorization: "Bearer nobody", "Sec-WebSocket-Protocol": `${token("admin-token")}, x` } },
  ],
  ["nobody", watch, { headers: { Authorization: "(none)" } }],
  ["a user without rights", watch, { headers: { Authorization: "Bearer alice-token" } }],
  ["a bad parameter", `${watch}&allowWatchBookmarks=x`],
  ["a resource that is not", "/api/v1/nothings?watch=1"],
  ...["(none)", "null", "nowhere", "https://a.test:8443", "/path", "http://", "a b:c", "file:x"].map(
    (Origin): ShortRow => [`the origin ${Origin}`, watch, { headers: { Origin } }],
  ),
  ...["(none)", "12", "14", ""].map(
    (version): ShortRow => [
      `version ${version} of the protocol`,
      watch,
      { headers: { "Sec-WebSocket-Version": version } },
    ],
  ),
  ...["(none)", "short", ""].map(
    (key): ShortRow => [`the key "${key}"`, watch, { headers: { "Sec-WebSocket-Key": key } }],
  ),
  ["a question in other letters", watch, { headers: { Upgrade: "WebSocket", Connection: "keep-alive, Upgrade" } }],
  [
    "a ping",
    watch,
    { onFrames: (frames, sent) => (sent === 0 && frames.length === 2 ? clientFrame(9, "hello") : undefined) },
  ],
  [
    "a long message, a text and a pong, which nobody reads",
    watch,
    {
      onFrames: (frames, sent) =>
        sent === 0 && frames.length === 2
          ? Buffer.concat([
              clientFrame(2, Buffer.alloc(3000)),
              clientFrame(1, "x"),
              clientFrame(10, "y"),
              clientFrame(9, "z"),
            ])
          : undefined,
    },
  ],
  [
    "an end from the client",
    `${maps}?watch=1&resourceVersion=0`,
    {
      onFrames: (frames, sent) =>
        sent === 0 && frames.length === 2 ? clientFrame(8, Buffer.from([3, 232])) : undefined,
    },
  ],
  [
    "a frame without a mask",
    `${maps}?watch=1&resourceVersion=0`,
    { onFrames: (frames, sent) => (sent === 0 && frames.length === 2 ? clientFrame(1, "x", false) : undefined) },
  ],
  [
    "a list, which has nothing to go on with",
    `${maps}?fieldSelector=metadata.name=none`,
    { headers: { Connection: "Upgrade, close" } },
  ],
  ["a list on a connection that goes on", `${maps}?fieldSelector=metadata.name=none`],
  [
    "another protocol on a connection that goes on",
    `${maps}?fieldSelector=metadata.name=none`,
    { headers: { Upgrade: "h2c" } },
  ],
  [
    "another protocol",
    `${maps}?fieldSelector=metadata.name=none`,
    { headers: { Upgrade: "h2c", Connection: "Upgrade, HTTP2-Settings, close", "HTTP2-Settings": "AAMAAABkAAQAAP__" } },
  ],
];

const hidden: readonly (readonly [RegExp, string])[] = [
  [/"uid":"[^"]*"/g, "UID"],
  [/"description":"[^"]*"/g, "DESCRIPTION"],
  [/"resourceVersion":"\d+"/g, "VERSION"],
  [/"(creationTimestamp|time)":"[^"]*"/g, "TIME"],
  [/version: \d+ \(\d+\)/g, "VERSION"],
  [/\b\d+m?s\b/g, "AGE"],
  [/"message":"(?:[^"\\]|\\.)*"/g, "MESSAGE"],
  [/^(Date|Audit-Id|Content-Length|X-Kubernetes-\S+): .*$/gm, "$1"],
];

/** Normalizes a message for the comparison: text without generated values, and the shape of other encodings. */
function comparable(answer: WebSocketAnswer): object {
  const plain = (text: string): string => hidden.reduce((left, [pattern, name]) => left.replace(pattern, name), text);
  const show = (opcode: number, payload: Buffer): unknown => {
    if (opcode === 0x81) return plain(payload.toString("utf8"));
    if (opcode !== 0x82) return payload.toString("hex");
    const at = payload.indexOf("k8s\0");
    return at < 0
      ? plain(JSON.stringify(sortKeys(cbor().decode(payload))))
      : [payload.subarray(0, 7).toString("latin1"), plain(JSON.stringify(protobuf().decode(payload.subarray(at))))];
  };
  const head =
    answer.head.startsWith("HTTP/1.1 101 ") || /^HTTP\/1.1 \d+ [^\r]*\r\n(Sec-[^\r]*\r\n)?\r\n/.test(answer.head)
      ? answer.head
      : plain(answer.head.replace(/\r\n/g, "\n")).split("\n").sort();
  return {
    head,
    frames: answer.frames.map(({ opcode, payload }) => [opcode, show(opcode, payload)]),
    ended: answer.ended,
  };
}

describe.skipIf(missing !== undefined)(
  `watches over WebSockets equal a real kube-apiserver's${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let real: RealApiServer;
    let server: ApiServer;
    let listener: Listener;

    beforeAll(async () => {
      real = await startRealApiServer();
      const tokens = new Map([
        ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
        ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
      ]);
      server = createApiServer({ tokens, authorizationMode: "RBAC", controllers: false });
      // A real server leaves the check of origins to its front, so ours must not check them here.
      const open: ApiServer = { ...server, allowsOrigin: () => true };
      listener = await listen(open, { allowedHosts: ["*"], tls: createServerCertificate(["127.0.0.1"], Date.now()) });
      for (const url of [real.server, listener.secureUrl!]) {
        for (const [path, object] of [
          ["/api/v1/namespaces", { metadata: { name: "ws" } }],
          [maps, { metadata: { name: "one" }, data: { a: "b" } }],
          [maps, { metadata: { name: "two" }, data: { long: "x".repeat(70_000) } }],
        ] as const)
          await post(url, path, object);
      }
      await real.compact();
      server.compact();
    });

    afterAll(async () => {
      await real.stop();
      await server.close();
      await listener.close();
    });

    async function post(url: string, path: string, object: object): Promise<void> {
      const body = JSON.stringify(object);
      const { status } = await exchange(url, [
        `POST ${path} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer admin-token\r\nContent-Type: application/json\r\nUser-Agent: ws/1\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      ]);
      expect(status).toBe(201);
    }

    it.each(shortRows.map(([title, path, options]): Row => [title, path, options]))("%s", async (_, path, options) => {
      const [wanted, got] = (
        await Promise.all([visit(real.server, path, options), visit(listener.secureUrl!, path, options)])
      ).map(comparable);
      expect(got).toEqual(wanted);
    });
  },
);
