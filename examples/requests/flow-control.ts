// API Priority and Fairness from the client's side: which priority level served a request, and a limit of your own.
import { getResponseInfo } from "kubestream";
import { createFlowControlLookup, matchFlowSchema } from "kubestream/flowcontrol";
import { rateLimit } from "kubestream/interceptors";
import { Pod } from "kubestream/kinds/core/v1";
import { FlowSchema } from "kubestream/kinds/flowcontrol/v1";
import { connect } from "kubestream/node";

const waits: number[] = [];
const client = await connect({
  interceptors: [rateLimit({ qps: 50, burst: 3, onWait: (waitedMs) => waits.push(waitedMs) })],
});
const pods = client.resource(Pod).namespace("web");
const response = getResponseInfo(await pods.list());
if (response === undefined) throw new Error("a list carries its response");
console.log(response.status, await createFlowControlLookup(client).names(response));

// Which schema would classify the requests of a service account?
const schemas = (await client.resource(FlowSchema).list()).items;
const request = { verb: "list", group: "", resource: "pods", namespace: "web" };
const user = "system:serviceaccount:web:shop";
const groups = ["system:serviceaccounts", "system:authenticated"];
console.log(matchFlowSchema(schemas, { ...request, user, groups })?.metadata?.name);

await Promise.all(Array.from({ length: 6 }, () => pods.get("pod-0")));
console.log("requests that waited:", waits.filter((waitedMs) => waitedMs > 0).length > 0);
await client.close();
