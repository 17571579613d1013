// Page through a long list. A continue token that expires halfway (410 Gone) doesn't end the loop or repeat an object.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { ConfigMap } from "kubestream/kinds/core/v1";

const server = createApiServer({ controllers: false });
const client = createClient({ transport: handlerTransport(server.handle) });
const maps = client.resource(ConfigMap).namespace("default");
for (let index = 0; index < 25; index++)
  await maps.create({ metadata: { name: `map-${String(index).padStart(2, "0")}` } });

// `pages` yields lists of `limit` objects. After page two, the server forgets the version the token refers to.
const names: string[] = [];
for await (const page of maps.pages({
  limit: 10,
  onExpired: "continue",
  onProgress: ({ pages, items, remaining, inconsistent }) => console.log({ pages, items, remaining, inconsistent }),
})) {
  names.push(...page.items.map((map) => map.metadata?.name ?? ""));
  if (names.length === 20) {
    await maps.create({ metadata: { name: "map-99" } });
    server.compact();
  }
}
console.log(names.length, "names,", new Set(names).size, "distinct, last:", names.at(-1));

// `listChunks` decodes while the response arrives: the first objects are ready before the body ends.
let decoded = 0;
for await (const { items } of maps.listChunks()) decoded += items.length;
console.log(decoded, "objects in chunks");
await client.close();
await server.close();
