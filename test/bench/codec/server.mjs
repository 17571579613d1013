// Serves one list and one watch in three encodings on a loopback port. All bytes are created before it listens.
import { createServer } from "node:http";
import { cbor } from "../../../dist/codec/cbor/index.js";
import { protobuf } from "../../../dist/codec/protobuf/index.js";
import { makePod, podRandom } from "./pods.mjs";

const count = Number(process.argv[2]);
const random = podRandom();
const pb = protobuf();
const cb = cbor();
const encode = new TextEncoder();

/** List bodies are joined from items, because the whole is too large to encode at once. */
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  bytes.push(value);
  return Buffer.from(bytes);
}

const jsonItems = [];
const pbItems = [];
const cborItems = [];
for (let i = 0; i < count; i++) {
  const pod = makePod(i, random);
  jsonItems.push(Buffer.from(JSON.stringify(pod)));
  // The message is surrounded by magic and an envelope with the type, and by two empty fields after the content.
  const whole = Buffer.from(pb.encode({ apiVersion: "v1", kind: "Pod", ...pod }));
  const header = whole.indexOf(0x12, 4 + 2 + whole[5]);
  let start = header + 1;
  while (whole[start++] > 127);
  pbItems.push(whole.subarray(start, whole.length - 4));
  cborItems.push(Buffer.from(cb.encode(pod)).subarray(3));
}

const jsonParts = [
  Buffer.from('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9000000"},"items":['),
];
jsonItems.forEach((item, i) => jsonParts.push(...(i > 0 ? [Buffer.from(",")] : []), item));
jsonParts.push(Buffer.from("]}\n"));

const emptyList = Buffer.from(
  pb.encode({ apiVersion: "v1", kind: "PodList", metadata: { resourceVersion: "9000000" }, items: [] }),
);
const pbInnerStart = (() => {
  let p = emptyList.indexOf(0x12, 4 + 2 + emptyList[5]) + 1;
  const length = emptyList[p];
  return { tag: p - 1, content: p + 1, length };
})();
const pbInner = [emptyList.subarray(pbInnerStart.content, pbInnerStart.content + pbInnerStart.length)];
for (const item of pbItems) pbInner.push(Buffer.of(18), varint(item.length), item);
const innerBytes = Buffer.concat(pbInner);
const pbList = Buffer.concat([
  emptyList.subarray(0, pbInnerStart.tag + 1),
  varint(innerBytes.length),
  innerBytes,
  Buffer.of(26, 0, 34, 0),
]);

const head = Buffer.alloc(5);
head[0] = 0x9a;
head.writeUInt32BE(count, 1);
const cborText = (text) => Buffer.concat([Buffer.of(0x40 | text.length), Buffer.from(text)]);
const cborList = Buffer.concat([
  Buffer.of(0xd9, 0xd9, 0xf7, 0xa4),
  cborText("kind"),
  cborText("PodList"),
  cborText("apiVersion"),
  cborText("v1"),
  cborText("metadata"),
  Buffer.from(cb.encode({ resourceVersion: "9000000" })).subarray(3),
  cborText("items"),
  head,
  ...cborItems,
]);

const events = 10_000;
const pod = makePod(7, podRandom());
const bodies = {
  "/json": Buffer.concat(jsonParts),
  "/pb": pbList,
  "/cbor": cborList,
};
for (const [name, make] of Object.entries({
  "/watch-json": (object) =>
    Buffer.from(`${JSON.stringify({ type: "MODIFIED", object: { kind: "Pod", apiVersion: "v1", ...object } })}\n`),
  "/watch-pb": (object) => {
    const raw = Buffer.from(pb.encode({ apiVersion: "v1", kind: "Pod", ...object }));
    const extension = Buffer.concat([Buffer.of(10), varint(raw.length), raw]);
    const event = Buffer.concat([
      Buffer.of(10, 8),
      Buffer.from("MODIFIED"),
      Buffer.of(18),
      varint(extension.length),
      extension,
    ]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  },
  "/watch-cbor": (object) =>
    Buffer.from(cb.encode({ type: "MODIFIED", object: { kind: "Pod", apiVersion: "v1", ...object } })),
})) {
  const parts = [];
  for (let i = 0; i < events; i++) {
    parts.push(
      make({
        ...pod,
        metadata: { ...pod.metadata, resourceVersion: String(5_000_000 + i) },
        status: { ...pod.status, containerStatuses: [{ ...pod.status.containerStatuses[0], restartCount: i }] },
      }),
    );
  }
  bodies[name] = Buffer.concat(parts);
}

const server = createServer((request, response) => {
  const body = bodies[request.url];
  response.writeHead(200, { "content-type": "application/octet-stream" });
  let p = 0;
  const write = () => {
    while (p < body.length) {
      const piece = body.subarray(p, p + 65536);
      p += 65536;
      if (!response.write(piece)) return void response.once("drain", write);
    }
    response.end();
  };
  write();
});
// A slow round must not close the connection.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () =>
  process.send({
    port: server.address().port,
    bytes: Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, body.length])),
  }),
);

// Exit with the parent process.
process.on("disconnect", () => process.exit());
