// Compare the encodings: the same list as JSON, CBOR and Protobuf. The objects are equal, the bytes are not.
import { isDeepStrictEqual } from "node:util";
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { json } from "kubestream/codec";
import { cbor } from "kubestream/codec/cbor";
import { protobuf } from "kubestream/codec/protobuf";
import { measureRequests } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";

const server = createApiServer({ controllers: false });
await server.load(
  Array.from({ length: 100 }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${String(index)}`, namespace: "default", labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "web:1", ports: [{ containerPort: 8080 }] }] },
  })),
);

const lists: unknown[] = [];
const sizes = new Map<string, number>();
for (const codec of [json(), cbor(), protobuf()]) {
  const client = createClient({
    transport: handlerTransport(server.handle),
    codecs: [codec],
    interceptors: [measureRequests(({ receivedBytes }) => sizes.set(codec.mediaType, receivedBytes))],
  });
  lists.push((await client.resource(Pod).list()).items);
  await client.close();
}
const [asJson = 0, ...others] = sizes.values();
for (const mediaType of sizes.keys()) console.log(mediaType);
console.log(
  "smaller than JSON:",
  others.every((size) => size < asJson),
);
console.log(
  "same objects:",
  lists.every((items) => isDeepStrictEqual(items, lists[0])),
);
await server.close();
