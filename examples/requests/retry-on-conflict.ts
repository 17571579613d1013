// Optimistic concurrency: an update with an old resourceVersion gets a conflict. Read again and retry.
import { isConflict, retryOnConflict } from "kubestream";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { createOrUpdate } from "kubestream/objects";

const client = await connect();
const maps = client.resource(ConfigMap).namespace("default");
const { outcome } = await createOrUpdate(maps, "counter", (map) => {
  map.data = { count: "0" };
});
console.log(outcome);

const stale = await maps.get("counter");
await maps.update({ ...stale, data: { count: "1" } });
try {
  await maps.update({ ...stale, data: { count: "1" } });
} catch (error) {
  if (!isConflict(error)) throw error;
  console.log("conflict:", error.code);
}

// Ten writers at once. Each attempt reads the current object, so every increment counts.
let attempts = 0;
async function increment(): Promise<void> {
  await retryOnConflict(
    async () => {
      attempts++;
      const map = await maps.get("counter");
      await maps.update({ ...map, data: { count: String(Number(map.data?.["count"]) + 1) } });
    },
    { maxAttempts: 50 },
  );
}
await Promise.all(Array.from({ length: 10 }, increment));
console.log("count:", (await maps.get("counter")).data?.["count"], "retries:", attempts > 10);
await maps.delete("counter");
await client.close();
