// Compares the embedded API server with a real kube-apiserver and etcd, in one run on one machine. The two alternate in
// every row, so that other work on the machine affects both. Each row shows the median of its turns and the ratio.
//
// Usage: node test/bench/apiserver.mjs [--kubeconfig FILE | --real URL --token TOKEN] [--turns 7] [--pods 10000]
// [--watchers 100] [--warm 10] [--tls] [--only TEXT] [--record]
//
// The real server always uses TLS. Ours does in the last rows (HTTP/1.1 and HTTP/2), and with --tls in all others.
// Rows of single requests start with --warm turns that aren't counted, because the bench's client isn't compiled yet, and
// neither is the embedded server.
// The floor of a row is the time that the same requests take with a server that does nothing: what the bench's client and
// Node's HTTP server need, without TLS.
//
// --only runs the rows whose name contains the text. --record writes the rows to docs/data/performance.json, from which
// `npm run pictures` draws the chart and fills the tables; run it on an idle machine.
import { parseArgs } from "node:util";
import { emptyState, isSmall, prepare, rowsFor } from "./apiserver/rows.mjs";
import { connectReal, startFloor, startOurs } from "./apiserver/server.mjs";
import { mergeRows, recordTables } from "./recorded.mjs";

const { values } = parseArgs({
  options: {
    real: { type: "string" },
    token: { type: "string" },
    kubeconfig: { type: "string" },
    tls: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    pods: { type: "string", default: "10000" },
    watchers: { type: "string", default: "100" },
    turns: { type: "string", default: "7" },
    warm: { type: "string", default: "10" },
    record: { type: "boolean", default: false },
  },
});
const options = { pods: Number(values.pods), watchers: Number(values.watchers), label: String(Date.now() % 1e7) };
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const floor = await startFloor();
const floorState = emptyState(floor, options);
const servers = [await startOurs({ tls: values.tls })];
if (values.real !== undefined || values.kubeconfig !== undefined) servers.push(connectReal(values));
else console.log("no real server given: --kubeconfig FILE, or --real URL --token TOKEN");

const recorded = { server: new Map(), "server-tls": new Map() };

function print(name, unit, [ours, real], least) {
  if (real !== undefined)
    recorded[name.includes(", TLS, ") ? "server-tls" : "server"].set(name.replace(", TLS, ", ", "), [
      unit,
      ours.toFixed(2),
      real.toFixed(2),
      (real / ours).toFixed(2),
    ]);
  const compared =
    real === undefined
      ? ""
      : `${real.toFixed(2).padStart(10)}  ours is ${(real / ours).toFixed(2).padStart(5)} times as fast`;
  const below = least === undefined ? "" : `  floor ${least.toFixed(2)}`;
  console.log(`${`${name} (${unit})`.padEnd(68)}${ours.toFixed(2).padStart(10)}${compared}${below}`);
}

/** Replaces the recorded figures of the rows that have run. */
function record() {
  recordTables((tables) => {
    for (const [table, rows] of Object.entries(recorded))
      mergeRows(
        tables[table],
        [...rows].map(([name, figures]) => [name, ...figures]),
      );
  });
}

const states = [];
try {
  for (const server of servers) states.push(await prepare(server, options));
  print(
    `create ${options.pods} pods, 16 clients, once`,
    "ms each",
    states.map((state) => state.fill),
  );
  for (const [name, unit, turn] of rowsFor(options)) {
    if (!name.includes(values.only)) continue;
    const times = states.map(() => []);
    const leasts = [];
    for (let i = 0; unit === "ms each" && i < Number(values.warm); i += 1)
      for (const state of isSmall(name) ? [...states, floorState] : states) await turn(state);
    // Alternate the order, so that one server's leftover work doesn't always affect the other.
    for (let i = 0; i < Number(values.turns); i += 1) {
      for (const at of i % 2 === 0 ? states.keys() : [...states.keys()].reverse())
        times[at].push(await turn(states[at]));
      if (isSmall(name)) leasts.push(await turn(floorState));
    }
    if (name.startsWith(`list ${options.pods} pods, `))
      print(
        `${name}, first`,
        unit,
        times.map((one) => one[0]),
      );
    print(name, unit, times.map(median), leasts.length === 0 ? undefined : median(leasts));
  }
} finally {
  for (const state of states) for (const close of state.closers) close();
  for (const server of [...servers, floor]) await server.close();
}
if (values.record) record();
