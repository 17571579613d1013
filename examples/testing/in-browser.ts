// The API server in a web page: no backend, no socket. Bundle this file for a page with a <pre id="output"> (in Node it prints).
// It uses web standards only, so the same file runs in a page, in a Web Worker and in Node.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { createInformer } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";

interface Page {
  querySelector(selector: string): { textContent: string | null } | null;
}
const { document } = globalThis as { document?: Page };
function show(text: string): void {
  const output = document?.querySelector("#output");
  if (output === undefined || output === null) console.log(text);
  else output.textContent = text;
}

const server = createApiServer();
const client = createClient({ transport: handlerTransport(server.handle) });
const pods = client.resource(Pod).namespace("default");
const informer = createInformer(pods);
informer.addHandler(() => {
  const names = informer.store.list().map((pod) => `${pod.metadata?.name} ${pod.status?.phase}`);
  show(names.length > 0 ? names.join(", ") : "no pods");
});
await informer.synced();

const spec = { containers: [{ name: "main", image: "web:1" }] };
for (const name of ["a", "b"]) await pods.create({ metadata: { name }, spec });
await pods.subresource("status").patch("a", { type: "merge", patch: { status: { phase: "Running" } } });
await pods.delete("b", { gracePeriodSeconds: 0 });
const { metadata } = await pods.list();
await informer.waitForResourceVersion(metadata.resourceVersion ?? "", { timeoutMs: 10_000 });
await informer.close();
await client.close();
await server.close();
