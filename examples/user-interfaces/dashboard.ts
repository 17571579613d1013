// A live dashboard: counts pods by phase and redraws at most five times a second, regardless of the rate of changes.
import { createInformer, stripManagedFields } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";
import { snapshots } from "kubestream/rx";
import { sampleTime } from "rxjs";

const client = await connect();
const informer = createInformer(client.resource(Pod), { transform: stripManagedFields });
await informer.synced();
const subscription = snapshots(informer)
  .pipe(sampleTime(200))
  .subscribe((pods) => {
    const phases = new Map<string, number>();
    for (const pod of pods)
      phases.set(pod.status?.phase ?? "Unknown", (phases.get(pod.status?.phase ?? "Unknown") ?? 0) + 1);
    console.log(pods.length, Object.fromEntries(phases));
  });
await new Promise((resolve) => setTimeout(resolve, Number(process.argv[2] ?? 10) * 1_000));
subscription.unsubscribe();
await informer.close();
await client.close();
