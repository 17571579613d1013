// Add up what the containers of a namespace request, exactly: quantities are decimal and never rounded.
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { addQuantities, compareQuantities, formatQuantity, parseQuantity, quantityToNumber } from "kubestream/objects";

const client = await connect();
const pods = client.resource(Pod).namespace("default");
for (const [name, memory] of [
  ["small", "100Mi"],
  ["large", "1.5Gi"],
] as const) {
  const resources = { requests: { cpu: "250m", memory } };
  await pods.create({ metadata: { name }, spec: { containers: [{ name: "main", image: "web:1", resources }] } });
}

const totals = { cpu: parseQuantity("0"), memory: parseQuantity("0Mi") };
for await (const pod of pods.items())
  for (const container of pod.spec?.containers ?? [])
    for (const resource of ["cpu", "memory"] as const) {
      const requested = container.resources?.requests?.[resource];
      if (requested !== undefined) totals[resource] = addQuantities(totals[resource], parseQuantity(requested));
    }
console.log("cpu:", formatQuantity(totals.cpu), "=", quantityToNumber(totals.cpu));
console.log("memory:", formatQuantity(totals.memory));
console.log("more than 1Gi:", compareQuantities(totals.memory, "1Gi") > 0);
for (const name of ["small", "large"]) await pods.delete(name, { gracePeriodSeconds: 0 });
await client.close();
