import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import type { Servers } from "../../differential/random/run.js";
import { prepare, runSequence } from "../../differential/random/run.js";
import { ownServer, realServer } from "../../differential/servers.js";

const { kubeconfig, missing } = inject("real");

/** Seeds that once gave different results, and others. Choose more with `RANDOM_SEED` and `RANDOM_COUNT`. */
const first = Number(process.env["RANDOM_SEED"] ?? 1);
const count = Number(process.env["RANDOM_COUNT"] ?? 24);

describe.skipIf(kubeconfig === undefined)(
  `random request sequences give the same results as a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let servers: Servers;

    beforeAll(async () => {
      servers = { real: realServer(kubeconfig!), own: await ownServer() };
      await prepare(servers);
    });

    afterAll(async () => {
      await servers.real.close();
      await servers.own.close();
    });

    afterEach(() => Promise.all([servers.real.closeConnections(), servers.own.closeConnections()]));

    it.each(Array.from({ length: count }, (_, at) => first + at))("seed %i", async (seed) => {
      const { requests, finding } = await runSequence(servers, { seed });
      expect(finding?.differences ?? [], [...requests, finding?.request].join("\n")).toEqual([]);
    });
  },
);
