// RxJS: changes of the objects that match a selector, the state of one object, and the status of the informer.
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { fromInformerStatus, fromObject, fromQuery } from "kubestream/rx";
import { distinctUntilChanged, filter, firstValueFrom, map, take, toArray } from "rxjs";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const informer = createInformer(maps);
await informer.synced({ timeoutMs: 10_000 });

// One watch feeds all three. An object that starts to match is "added", one that stops is "deleted".
const live = { labelSelector: "stage=live" };
const stages = firstValueFrom(
  fromQuery(informer, live).pipe(
    map(({ type, key }) => `${type} ${key}`),
    take(2),
    toArray(),
  ),
);
const colours = firstValueFrom(
  fromObject(informer, "default/page").pipe(
    map((page) => page?.data?.["colour"]),
    distinctUntilChanged(),
    take(3),
    toArray(),
  ),
);
const watching = firstValueFrom(fromInformerStatus(informer).pipe(filter(({ type }) => type === "watching")));

await maps.create({ metadata: { name: "page", labels: { stage: "draft" } }, data: { colour: "blue" } });
await maps.patch("page", { type: "merge", patch: { metadata: { labels: { stage: "live" } } } });
await maps.patch("page", { type: "merge", patch: { metadata: { labels: { stage: "old" } }, data: { colour: "red" } } });
console.log(await stages);
console.log(await colours);
console.log((await watching).type);
await maps.delete("page");
await informer.close();
await client.close();
