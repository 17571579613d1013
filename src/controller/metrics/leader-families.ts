import type { MetricFamily } from "../../internal/telemetry/metrics.js";
import type { LeaderElector } from "../leader-election/leader-elector.js";
import { family } from "./family.js";

/** Returns the metrics of leader electors with client-go's names. */
export function leaderFamilies(electors: readonly LeaderElector[]): MetricFamily[] {
  const all = electors.map((elector) => ({ labels: { name: elector.name }, metrics: elector }));
  return [
    family("gauge", ["leader_election_master_status", "1 if this process leads, by lease"], all, ({ isLeader }) =>
      Number(isLeader),
    ),
    family(
      "counter",
      ["leader_election_slowpath_total", "Renewals that had to read the lease first, by lease"],
      all,
      ({ metrics }) => metrics.slowPaths,
    ),
  ];
}
