import type { Client, ClientOptions } from "kubestream";
import { createClient, isConflict, isNotFound } from "kubestream";
import type { ApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { cbor } from "kubestream/codec/cbor";
import { protobuf } from "kubestream/codec/protobuf";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { ConfigMap, Pod } from "kubestream/kinds/core/v1";
import { fromInformer } from "kubestream/rx";

const encodings: readonly (readonly [name: string, codecs: NonNullable<ClientOptions["codecs"]>])[] = [
  ["JSON", []],
  ["Protobuf", [protobuf()]],
  ["CBOR", [cbor()]],
];

/** Reported for a server that notices at once when a watch is no longer read. */
export const WATCHES_END = "watches end where their reader leaves";

function expectEqual(what: string, got: unknown, wanted: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(wanted))
    throw new Error(`${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
}

/** Waits until a condition holds. The caller sets an overall time limit. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Returns true if a watch of ConfigMaps is open. */
async function isWatched(server: Pick<ApiServer, "handle">): Promise<boolean> {
  return (await (await server.handle(new Request("http://server/metrics"))).text()).includes(
    'resource="configmaps",verb="WATCH"',
  );
}

/** Returns true if the server notices within seconds that its watches are no longer read. */
async function ends(server: Pick<ApiServer, "handle">): Promise<boolean> {
  const deadline = performance.now() + 5000;
  while (await isWatched(server)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return true;
}

/**
 * Reads, writes, applies and watches through a transport, in every encoding. Returns the steps it completed; throws on
 * an unexpected result.
 */
export async function exercise(
  server: Pick<ApiServer, "handle">,
  transport: () => ClientOptions["transport"],
): Promise<string[]> {
  const watchesEnd = new Set<boolean>();
  const done: string[] = [];
  for (const [name, codecs] of encodings) {
    const client = createClient({ transport: transport(), codecs });
    await exerciseOne(client, name.toLowerCase());
    watchesEnd.add(await ends(server));
    await client.close();
    done.push(name);
  }
  const client = createClient({ transport: transport() });
  await exerciseCustom(client);
  await client.close();
  done.push("custom resources", watchesEnd.has(false) ? "watches go on where their reader leaves" : WATCHES_END);
  return done;
}

async function exerciseOne(client: Client, name: string): Promise<void> {
  const maps = client.resource(ConfigMap).namespace("default");
  expectEqual("no ConfigMap of the name", await maps.get(name).catch(isNotFound), true);

  // The collection is empty, so the watch opens before there are events.
  const { metadata } = await maps.list();
  const events: string[] = [];
  const watching = (async () => {
    for await (const event of maps.watch({
      resourceVersion: metadata.resourceVersion!,
      fieldSelector: `metadata.name=${name}`,
    })) {
      if (event.type === "BOOKMARK") continue;
      events.push(`${event.type} ${event.object.data?.["colour"] ?? ""}`);
      if (event.type === "DELETED") break;
    }
  })();
  const informer = createInformer(maps);
  const seen: string[] = [];
  const subscription = fromInformer(informer).subscribe((change) => {
    if (change.key === `default/${name}`) seen.push(change.type);
  });
  await informer.synced();

  await maps.create({ metadata: { name }, data: { colour: "blue" } });
  const configuration = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { colour: "red" } } as const;
  await maps.apply(configuration, { fieldManager: "painter", force: true });
  expectEqual(
    "a conflict",
    await maps.apply({ ...configuration, data: { colour: "green" } }, { fieldManager: "other" }).catch(isConflict),
    true,
  );
  expectEqual(
    "the list",
    (await maps.list({ fieldSelector: `metadata.name=${name}` })).items.map((item) => item.data),
    [{ colour: "red" }],
  );
  await maps.patch(name, { type: "merge", patch: { data: { colour: "grey" } } });
  const pod = await client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name }, spec: { containers: [{ name: "main", image: "busybox" }] } });
  expectEqual("what the server fills in", [pod.spec?.restartPolicy, pod.spec?.dnsPolicy], ["Always", "ClusterFirst"]);
  await maps.delete(name);
  await watching;
  await until(async () => seen.at(-1) === "deleted");
  subscription.unsubscribe();
  await informer.close();
  expectEqual("the watch", events, ["ADDED blue", "MODIFIED red", "MODIFIED grey", "DELETED grey"]);
  expectEqual("the informer", seen, ["added", "updated", "updated", "deleted"]);
}

async function exerciseCustom(client: Client): Promise<void> {
  const rule = { rule: "self.size < 10", message: "too large" };
  await client.resource(CustomResourceDefinition).create({
    metadata: { name: "boxes.browser.test" },
    spec: {
      group: "browser.test",
      scope: "Namespaced",
      names: { plural: "boxes", kind: "Box" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: { type: "integer" } }, "x-kubernetes-validations": [rule] },
              },
            },
          },
        },
      ],
    },
  });
  const boxes = client
    .resource({ group: "browser.test", version: "v1", kind: "Box", plural: "boxes", scope: "Namespaced" })
    .namespace("default");
  await until(() =>
    boxes.list().then(
      () => true,
      () => false,
    ),
  );
  await boxes.create({ metadata: { name: "small" }, spec: { size: 1 } } as never);
  const refused = await boxes.create({ metadata: { name: "large" }, spec: { size: 11 } } as never).then(
    () => "taken",
    (error: Error) => error.message,
  );
  if (!refused.includes("too large")) throw new Error(`a rule of the schema: ${refused}`);
}
