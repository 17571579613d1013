// Live data for user interfaces without a framework: a store with a selector, an optimistic write, a table, access.
// In React, the hooks of kubestream/react do the same.
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { createAccessCache, createLiveStores, createLiveTable, selectStore } from "kubestream/stores";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const labels = { example: "live-stores" };
for (const name of ["page-9", "page-10"]) await maps.create({ metadata: { name, labels }, data: { colour: "blue" } });

const stores = createLiveStores(client);
const query = { namespace: "default", labelSelector: "example=live-stores" };
const store = stores.collection(ConfigMap, query);
const colours = selectStore(store, ({ items }) => items.map(({ data }) => data?.["colour"]).join(" "));
const unsubscribe = colours.subscribe(() => console.log("colours:", colours.getSnapshot()));
await store.ready();

// Shown before the server has answered, and taken back if it refuses.
await stores.mutate(
  ConfigMap,
  { namespace: "default", name: "page-9" },
  {
    change(map) {
      map.data = { ...map.data, colour: "red" };
    },
  },
);

const table = createLiveTable(stores, ConfigMap, query, { sortBy: { column: "Name" } });
await table.ready();
const { columns, rows } = table.getSnapshot();
console.log(columns.map(({ name }) => name).join(), rows.map(({ cells }) => cells[0]).join());

const access = createAccessCache(client);
console.log("may delete:", await access.check({ verb: "delete", kind: ConfigMap, namespace: "default" }));

unsubscribe();
await stores.close();
for (const name of ["page-9", "page-10"]) await maps.delete(name);
await client.close();
