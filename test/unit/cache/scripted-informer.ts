import { afterEach, expect } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import type { Informer, InformerOptions } from "../../../src/cache/informer/informer.js";
import { createClient } from "../../../src/client/client.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { createVirtualClock, settle, type VirtualClock } from "../../support/virtual-clock.js";
import { type Answer, type ScriptedTransport, scripted } from "../client/scripted-transport.js";

/** ConfigMap in the namespace `x`. */
export const map = (name: string, version: string): object => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "x", uid: `uid-${name}`, resourceVersion: version },
});
/** Response with a page of ConfigMaps, whose next page has the token. */
export const list = (version: string, names: string[], token?: string): Answer => ({
  body: {
    kind: "ConfigMapList",
    apiVersion: "v1",
    metadata: { resourceVersion: version, ...(token !== undefined && { continue: token }) },
    items: names.map((name) => map(name, "1")),
  },
});
/** Frame of a watch. */
export const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
/** Status of a failure. */
export const status = (code: number, reason: string, more: object = {}): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "no",
  reason,
  code,
  ...more,
});
/** Response with the Status of a failure. */
export const refusal = (code: number, reason: string, headers: Record<string, string> = {}): Answer => ({
  status: code,
  headers,
  body: status(code, reason),
});
/** Watch response that sends nothing. */
export const quiet: Answer = { body: ["hang"] };
/** Watch response that sends pieces and then stays silent. */
export const watch = (...body: (string | Uint8Array | Error)[]): Answer => ({ body: [...body, "hang"] });
/** Watch response that ends after its pieces. */
export const endingWatch = (...body: string[]): Answer => ({ body });

/** Informer of the ConfigMaps in the namespace `x`, with a virtual clock, whose server answers in a given order. */
export interface ScriptedInformer {
  readonly informer: Informer<ConfigMap>;
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  /** Starts the informer, and waits until it rests. */
  begin(answers: Answer[], options?: InformerOptions<ConfigMap>): Promise<void>;
  /** Returns the requests in short form: `list`, `list from 10`, `page t1`, `watch from 10`, `stream`. */
  requests(): string[];
  /** Returns the names of the ConfigMaps in the cache. */
  names(): string;
}

/** Lets each test of the file start an informer, closes it after the test, and checks that it leaves nothing open. */
export function useScriptedInformer(): ScriptedInformer {
  let informer: Informer<ConfigMap>;
  let clock: VirtualClock;
  let transport: ScriptedTransport;
  afterEach(async () => {
    await informer.close();
    await settle();
    expect([clock.pending, transport.open()]).toEqual([0, 0]);
  });
  return {
    get informer() {
      return informer;
    },
    get clock() {
      return clock;
    },
    get transport() {
      return transport;
    },
    async begin(answers, options = {}) {
      clock = createVirtualClock();
      transport = scripted(...answers);
      const client = createClient({ transport, clock, random: () => 0 });
      informer = createInformer(client.resource(ConfigMap).namespace("x"), {
        initialList: "list",
        clock,
        random: () => 0,
        ...options,
      });
      informer.start();
      await settle();
    },
    requests: () => transport.requests.map(({ path }) => summarize(new URLSearchParams(path.split("?")[1]))),
    names: () =>
      [...informer.store.keys()]
        .map((key) => key.slice(2))
        .sort()
        .join(),
  };
}

function summarize(query: URLSearchParams): string {
  if (query.has("continue")) return `page ${query.get("continue")!}`;
  const version = query.get("resourceVersion");
  const from = version === null ? "" : ` from ${version}`;
  if (query.has("watch")) return query.get("sendInitialEvents") === "true" ? `stream${from}` : `watch${from}`;
  return `list${from}`;
}
