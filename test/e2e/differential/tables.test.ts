import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { type Clock, systemClock } from "../../../src/internal/clock.js";
import { openTransport } from "../../../src/node/connection/open-transport.js";
import type { Transport } from "../../../src/transport/transport.js";
import { printedObjects } from "../../support/printed-objects.js";

const { kubeconfig, missing } = inject("real");
const namespace = "printed";

interface Table {
  readonly columnDefinitions?: readonly { readonly description: string }[];
  readonly rows?: readonly Row[];
}

interface Row {
  readonly cells: readonly unknown[];
  readonly conditions?: unknown;
  readonly object: { readonly metadata: { readonly creationTimestamp?: string } };
}

type Call = (method: string, path: string, type?: string, body?: object) => Promise<{ status: number; body: Table }>;

const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/** Without the timer of a minute that a change of flow control starts: the server outlives the test that makes it. */
const withoutUpkeep: Clock = {
  ...systemClock,
  setTimer: (callback, delayMs, options) =>
    options?.upkeep === true ? { cancel: () => undefined } : systemClock.setTimer(callback, delayMs),
};

/** Replaces times and ages, which differ by the time between the requests, and what each server assigns. */
function neutral(value: unknown, { object }: Row): unknown {
  if (value === object.metadata.creationTimestamp) return "<created>";
  return typeof value === "string"
    ? value
        .replace(/^\d+[smhdy](\d+[smh])?$/, "<age>")
        .replace(/\(\d+\w+ ago\)/g, "(<age> ago)")
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, "<uid>")
        .replace(/^10\.\d+\.\d+\.\d+$/, "<address>")
    : value;
}

describe.skipIf(kubeconfig === undefined)(
  `tables equal a real kube-apiserver's${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let ours: ApiServer;
    let transport: Transport;
    let calls: readonly Call[];

    beforeAll(async () => {
      ours = createApiServer({
        clock: withoutUpkeep,
        tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
        controllers: false,
      });
      ({ transport } = await openTransport({ kubeconfig: kubeconfig! }));
      const real: Call = async (method, path, type, body) => {
        const headers = { accept: asTable, ...(type === undefined ? {} : { "content-type": type }) };
        const response = await transport.send({
          method,
          path,
          headers,
          signal: new AbortController().signal,
          ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
        });
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) chunks.push(chunk);
        return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as Table };
      };
      const own: Call = async (method, path, type, body) => {
        const response = await ours.handle(
          new Request(`http://server${path}`, {
            method,
            headers: {
              authorization: "Bearer t",
              accept: asTable,
              ...(type === undefined ? {} : { "content-type": type }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
        );
        return { status: response.status, body: (await response.json()) as Table };
      };
      calls = [real, own];
      await Promise.all(
        calls.map((call) => call("POST", "/api/v1/namespaces", "application/json", { metadata: { name: namespace } })),
      );
    });

    afterAll(async () => {
      await transport.close();
      await ours.close();
    });

    it.each(printedObjects.map((one, at) => [at, one.collection, one] as const))(
      "object %i of %s",
      async (_at, _collection, { collection, namespaced, object, status }) => {
        const place = namespaced ? collection.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`) : collection;
        const path = `${place}/${(object as { metadata: { name: string } }).metadata.name}`;
        const [real, own] = await Promise.all(
          calls.map(async (call) => {
            const made = await call("POST", place, "application/json", object);
            const changed =
              status === undefined
                ? undefined
                : await call("PATCH", `${path}/status`, "application/merge-patch+json", { status });
            const table = await call("GET", path);
            await call("DELETE", `${path}?gracePeriodSeconds=0`);
            const { columnDefinitions, rows } = table.body;
            return {
              steps: [made, changed, table].map((step) => step?.status),
              columns: columnDefinitions?.map(({ description: _own, ...column }) => column),
              rows: rows?.map((row) => ({
                cells: row.cells.map((cell) => neutral(cell, row)),
                conditions: row.conditions,
              })),
            };
          }),
        );
        expect(own).toEqual(real);
      },
    );
  },
);
