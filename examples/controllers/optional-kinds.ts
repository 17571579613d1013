// Sources that come and go: a custom kind that needn't be defined, and a source added to a running controller.
import { defineKind } from "kubestream";
import { createController, enqueueMapped, kindSource } from "kubestream/controller";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { ConfigMap, Secret } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect();
const definitions = client.resource(CustomResourceDefinition);
const [group, plural, version] = ["optional.example.com", "gadgets", "v1"] as const;
const Gadget = defineKind<{ colour: string }>()({ group, version, kind: "Gadget", plural, scope: "Namespaced" });
const gadgets = client.resource(Gadget).namespace("default");
const secrets = client.resource(Secret).namespace("default");

/** Enqueues the ConfigMap with the name of the changed object. */
const byName = enqueueMapped<{ metadata?: { name?: string } }>(({ metadata }) => [
  { namespace: "default", name: metadata!.name! },
]);
const waiting = new Map<string, () => void>();
/** Waits for a word, and prints it. */
const on = (word: string): Promise<void> =>
  new Promise<void>((resolve) => waiting.set(word, resolve)).then(() => console.log(word));
const controller = createController({
  name: "optional",
  for: client.resource(ConfigMap).namespace("default"),
  informer: { labelSelector: "app=optional" },
  watches: [kindSource(gadgets, byName, { optional: { definitions } })],
  log: ({ message }) => waiting.get(/the kind is \w+$/.exec(message)?.[0] ?? "")?.(),
  reconcile: ({ name }) => waiting.get(`reconciled ${name}`)?.(),
});
controller.start();

// The source of the Gadgets starts with their definition, and stops when that is deleted.
const served = on("the kind is served");
const names = { plural, kind: "Gadget" };
const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const versions = [{ name: version, served: true, storage: true, schema }];
const name = `${plural}.${group}`;
await definitions.create({ metadata: { name }, spec: { group, scope: "Namespaced", names, versions } });
await served;
const first = on("reconciled blue");
await gadgets.create({ metadata: { name: "blue" }, spec: { colour: "blue" } });
await first;
const gone = on("the kind is gone");
await definitions.delete(name);
await gone;

// Add and remove a source while the controller runs.
const added = controller.addSource(kindSource(secrets, byName, { informer: { labelSelector: "app=optional" } }));
await added.synced();
const second = on("reconciled red");
await secrets.create({ metadata: { name: "red", labels: { app: "optional" } } });
await second;
await added.remove();
console.log(controller.sources.map(({ description }) => description).join(", "));
await controller.stop();
await secrets.delete("red");
await client.close();
