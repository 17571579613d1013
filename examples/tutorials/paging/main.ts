import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { handleAll } from "./paging.js";

const client = await connect();
const handled = await handleAll({
  collection: client.resource(Pod),
  checkpoint: "pods-done.json",
  handle: async (pod) => console.log(`${pod.metadata?.namespace}/${pod.metadata?.name}`),
});
console.log(`${handled} pods`);
await client.close();
