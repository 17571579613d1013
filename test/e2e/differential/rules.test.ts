import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { openTransport } from "../../../src/node/connection/open-transport.js";
import type { Transport } from "../../../src/transport/transport.js";
import { ruleObjects, ruleSchema, rulesOfCustomResources } from "../../support/custom-rules.js";

const { kubeconfig, missing } = inject("real");

interface Status {
  readonly kind?: string;
  readonly details?: {
    readonly causes?: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
  };
}

interface Answer {
  readonly status: number;
  readonly body: Status;
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>;

const group = "rules.cf.dev";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(rules: readonly string[]): object {
  const schema = {
    type: "object",
    properties: {
      spec: { ...ruleSchema, "x-kubernetes-validations": rules.map((rule, at) => ({ rule, message: `rule ${at}` })) },
    },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: "Cluster",
      names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

describe.skipIf(kubeconfig === undefined)(
  `validation rules of custom resources give the same results as a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let ours: ApiServer;
    let transport: Transport;
    let calls: readonly [real: Call, own: Call];

    beforeAll(async () => {
      ours = createApiServer({
        tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
        controllers: false,
      });
      ({ transport } = await openTransport({ kubeconfig: kubeconfig! }));
      const real: Call = async (method, path, body) => {
        const headers = {
          accept: "application/json",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        };
        const response = await transport.send({
          method,
          path,
          headers,
          signal: new AbortController().signal,
          ...(body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }),
        });
        const chunks: Uint8Array[] = [];
        for await (const chunk of response.body) chunks.push(chunk);
        return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as Status };
      };
      const own: Call = async (method, path, body) => {
        const response = await ours.handle(
          new Request(`http://server${path}`, {
            method,
            headers: {
              authorization: "Bearer t",
              ...(body === undefined ? {} : { "content-type": "application/json" }),
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }),
        );
        return { status: response.status, body: (await response.json()) as Status };
      };
      calls = [real, own];
    });

    afterAll(async () => {
      await calls[0]("DELETE", `${definitions}/things.${group}`);
      await transport.close();
      await ours.close();
    });

    /**
     * Returns the rules that a server rejects, by position. Rules that are rejected only for their cost are optional.
     */
    async function refused(call: Call, costs: boolean): Promise<Map<number, string>> {
      const { body } = await call("POST", `${definitions}?dryRun=All`, definition(rulesOfCustomResources));
      const places = (body.details?.causes ?? [])
        .filter(({ message }) => costs || !/\bcost\b/.test(message))
        .map(
          ({ field, message }) =>
            [Number(/x-kubernetes-validations\[(\d+)\]/.exec(field)?.[1] ?? -1), message] as const,
        );
      return new Map(places);
    }

    it("accepts and rejects the same rules", async () => {
      const [real, own] = (await Promise.all(calls.map((call) => refused(call, false)))) as [
        Map<number, string>,
        Map<number, string>,
      ];
      const told = (place: number): string => `${rulesOfCustomResources[place] ?? "(total)"}`;
      const wrongly = {
        refused: [...own].filter(([place]) => !real.has(place)).map(([place, message]) => `${told(place)}: ${message}`),
        taken: [...real]
          .filter(([place]) => !own.has(place))
          .map(([place, message]) => `${told(place)}: ${message.slice(0, 300)}`),
      };
      expect(wrongly).toEqual({ refused: [], taken: [] });
    }, 120_000);

    it("reports the same violations", async () => {
      const [inReal, inOwn] = (await Promise.all(calls.map((call) => refused(call, true)))) as [
        Map<number, string>,
        Map<number, string>,
      ];
      const rules = rulesOfCustomResources.filter((_, at) => !inReal.has(at) && !inOwn.has(at));
      for (const call of calls) {
        const { status, body } = await call("POST", definitions, definition(rules));
        expect(status, JSON.stringify(body)).toBe(201);
        await vi.waitFor(
          async () => expect((await call("GET", `/apis/${group}/v1/things?resourceVersion=0`)).status).toBe(200),
          { timeout: 20_000 },
        );
      }
      const differences: string[] = [];
      for (const [at, spec] of ruleObjects.entries()) {
        const [real, own] = (await Promise.all(
          calls.map(async (call) => {
            const { body } = await call("POST", `/apis/${group}/v1/things?dryRun=All`, {
              apiVersion: `${group}/v1`,
              kind: "Thing",
              metadata: { name: `thing-${at}` },
              spec,
            });
            return new Map(
              (body.details?.causes ?? []).map(({ message }) => [
                Number(/rule (\d+)/.exec(message)?.[1] ?? rules.findIndex((rule) => message.includes(rule))),
                message,
              ]),
            );
          }),
        )) as [Map<number, string>, Map<number, string>];
        for (const place of new Set([...real.keys(), ...own.keys()])) {
          if (real.has(place) !== own.has(place))
            differences.push(
              `object ${at}: ${rules[place] ?? "?"}: real ${real.get(place) ?? "holds"}, ours ${own.get(place) ?? "holds"}`,
            );
        }
      }
      expect(differences).toEqual([]);
    }, 120_000);
  },
);
