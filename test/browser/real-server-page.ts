// Program of a page of another origin: it follows ConfigMaps through `kubestream proxy`, and reads paths as a user may.
import { createClient, createListerWatcher, fetchTransport, StatusError } from "kubestream";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";

/** Starts the live collection. Short delays keep the check short. */
function follow(url: string): void {
  const backoff = { initialMs: 100, factor: 2, capMs: 1_000, jitter: 0 };
  const source = createListerWatcher(ConfigMap, { transport: fetchTransport({ url }), namespace: "default" });
  const informer = createInformer(source, { backoff, refusedBackoff: backoff });
  const said: string[] = [];
  informer.onStatus(({ type }) => said.push(type));
  informer.start();
  Object.assign(globalThis, {
    said,
    names: () => informer.store.list().map(({ metadata }) => metadata?.name),
    state: () => informer.status.type,
  });
}

/** Reads paths. Returns for each the objects' names, or the refusal in the words of kubectl. */
async function read(url: string, paths: readonly string[]): Promise<string[]> {
  const client = createClient({ transport: fetchTransport({ url }) });
  const answers = paths.map(async (path) => {
    try {
      return namesOf(await (await client.request({ path })).json());
    } catch (error) {
      return error instanceof StatusError
        ? `Error from server (${error.reason}): ${error.status.message}`
        : String(error);
    }
  });
  const texts = await Promise.all(answers);
  await client.close();
  return texts;
}

/** Returns the names of a list's objects, or of one object. */
function namesOf(answer: unknown): string {
  type Named = { metadata: { name: string } };
  const { items } = answer as { items?: readonly Named[] };
  return (items ?? [answer as Named]).map(({ metadata }) => metadata.name).join(" ");
}

Object.assign(globalThis, { follow, namesOf, read });
