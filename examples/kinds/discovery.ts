// What the server serves, like `kubectl api-resources`, and a kind that is known only at run time.
import { createDiscovery, findByCategory, listResources } from "kubestream/discovery";
import { connect } from "kubestream/node";

const client = await connect();
const discovery = createDiscovery(client);
const catalog = await discovery.catalog();

for (const { plural, shortNames, group, version, scope, kind } of listResources(catalog))
  if (group === "apps") console.log([plural, shortNames.join(), `${group}/${version}`, scope, kind].join(" "));
console.log("kubectl get all:", findByCategory(catalog, "all").length, "kinds");

// Accepts what kubectl accepts: a plural, singular or short name, with or without the group.
const found = await discovery.find("cm");
if (found === undefined) throw new Error("the server doesn't serve cm");
const maps = client.resource(found).namespace("default");
await maps.create({ metadata: { name: "dynamic" }, data: { colour: "blue" } });
const map = await maps.get("dynamic");
console.log(map.kind, map.metadata?.name, map["data"]);
await maps.delete("dynamic");
await client.close();
