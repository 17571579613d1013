// Leader election with a Lease: two candidates, one leader at a time. The second takes over when the first stops.
import { withLeadership } from "kubestream/controller";
import { Lease } from "kubestream/kinds/coordination/v1";
import { connect } from "kubestream/node";

const client = await connect();
const leases = client.resource(Lease).namespace("default");

async function candidate(identity: string): Promise<void> {
  // The default timing matches client-go: 15 s lease, 10 s to renew, 2 s between attempts.
  const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };
  await withLeadership({ leases, name: "election-example", identity, ...timing }, async (signal, { term }) => {
    // Pass `signal` to every call: it aborts as soon as the lease is lost.
    const lease = await leases.get("election-example", { signal });
    console.log(identity, "leads, lease held by", lease.spec?.holderIdentity, "term", term);
  });
  console.log(identity, "released the lease");
}

const first = candidate("first");
await first;
await candidate("second");
console.log("transitions:", (await leases.get("election-example")).spec?.leaseTransitions);
await leases.delete("election-example");
await client.close();
