// Requests to any path, with the client's credentials, retries and errors.
import { isNotFound } from "kubestream";
import { connect } from "kubestream/node";

const client = await connect();
const version = await client.request({ path: "/version" });
console.log(JSON.parse(await version.text()).gitVersion);

const health = await client.request({ path: "/readyz", query: { verbose: true }, accept: "text/plain" });
console.log((await health.text()).trim().split("\n").at(-1));

const path = "/api/v1/namespaces/default/configmaps";
const created = await client.request({ method: "POST", path, body: { metadata: { generateName: "raw-" } } });
const { metadata } = JSON.parse(await created.text()) as { metadata: { name: string } };
console.log(created.status, created.headers.get("content-type"));

await client.request({ method: "DELETE", path: `${path}/${metadata.name}` });
try {
  await client.request({ path: `${path}/${metadata.name}` });
} catch (error) {
  if (!isNotFound(error)) throw error;
  console.log(error.status.code, error.status.reason);
}

// `allow` lists statuses that are answers rather than errors.
const missing = await client.request({ path: `${path}/absent`, allow: [404] });
console.log("allowed:", missing.status);
await client.close();
