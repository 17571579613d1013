// Debug a running pod: add an ephemeral container, like `kubectl debug`, and change its resources in place.
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { addEphemeralContainer, resize } from "kubestream/operations";

const client = await connect();
const pods = client.resource(Pod).namespace("default");
const resources = { requests: { cpu: "100m", memory: "64Mi" } };
await pods.create({
  metadata: { name: "slow" },
  spec: { containers: [{ name: "main", image: "web:1", resources }] },
});

await addEphemeralContainer(pods, "slow", {
  name: "debugger",
  image: "busybox:1.37",
  command: ["sh"],
  stdin: true,
  tty: true,
  targetContainerName: "main",
});
console.log((await pods.get("slow")).spec?.ephemeralContainers?.map(({ name, image }) => `${name} ${image ?? ""}`));

await resize(pods, "slow", { main: { requests: { cpu: "250m" } } });
console.log((await pods.get("slow")).spec?.containers[0]?.resources?.requests);
await pods.delete("slow", { gracePeriodSeconds: 0 });
await client.close();
