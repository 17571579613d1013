// Join two informers: each Service with the pods it selects, updated when either side changes.
import { createInformerFactory, joinInformers } from "kubestream/cache";
import { Pod, Service } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const services = client.resource(Service).namespace("web");
await services.create({ metadata: { name: "web" }, spec: { selector: { app: "web" }, ports: [{ port: 80 }] } });

// The factory shares one watch per collection among everything that uses it.
const factory = createInformerFactory();
const left = factory.informer(services);
const right = factory.informer(client.resource(Pod).namespace("web"));
await Promise.all([left.synced(), right.synced()]);

const app = (name: string | undefined) => (name === undefined ? [] : [name]);
const joined = joinInformers(
  left,
  right,
  {
    name: "pods-of-service",
    left: (service) => app(service.spec?.selector?.["app"]),
    right: (pod) => app(pod.metadata?.labels?.["app"]),
  },
  ({ type, key, right: pods }) => console.log(type, key, pods.map((pod) => pod.metadata?.name).sort()),
);
const { metadata } = await client
  .resource(Pod)
  .namespace("web")
  .create({
    metadata: { name: "pod-3", labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "web:1" }] },
  });
await right.waitForResourceVersion(metadata?.resourceVersion ?? "", { timeoutMs: 10_000 });
joined.remove();
await client.resource(Pod).namespace("web").delete("pod-3", { gracePeriodSeconds: 0 });
await services.delete("web");
await factory.close();
await client.close();
