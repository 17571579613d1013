import { createPersistence } from "../../../src/cache/persist/persistence.js";
import { UsageError } from "../../../src/cli/program/command.js";
import { parseOptions } from "../../../src/cli/program/parse-options.js";
import { kubeFlags, kubeOptions } from "../../../src/cli/server/kube-flags.js";
import { createClient } from "../../../src/client/client.js";
import type { DynamicObject } from "../../../src/client/resource/collection-handle.js";
import { formatMetrics } from "../../../src/controller/metrics/format-metrics.js";
import { KubestreamError } from "../../../src/errors/kubestream-error.js";
import { parseTraceparent } from "../../../src/interceptors/trace-context.js";
import { systemClock } from "../../../src/internal/clock.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { fieldChanges } from "../../../src/manifests/field-changes.js";
import { formatPlan } from "../../../src/manifests/format-plan.js";
import { serveOperations } from "../../../src/node/operator/serve-operations.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { touch } from "../target.js";
import { jsonWords } from "../vocabularies.js";
import { exchange, httpWords } from "./port.js";

const maps = createClient({
  transport: { send: () => Promise.reject(new Error("unused")), close: async () => undefined },
}).resource(ConfigMap);
const options = { identity: "a", intervalMs: 1_000 };
/** The name under which the informer of the targets stores its objects. */
const slot = await new Promise<string>((resolve) => {
  const storage = {
    read: async (name: string) => resolve(name) as undefined,
    write: async () => {},
    remove: async () => {},
  };
  void createPersistence({ ...options, storage })
    .open(maps, {}, systemClock)
    .load(new AbortController().signal);
});
const magic = "kubestream-store/2\n";
const head = (count: number): string => `${JSON.stringify({ name: slot, resourceVersion: "1", count })}\n`;
const snapshots: Vocabulary = {
  ...jsonWords([
    [head(1), "\n"],
    [`${head(1)}{"keys":["a"],"sizes":[3],"fields":[["metadata"]],"shapes":[`, ']}\n"a"'],
    [`${head(2)}{"keys":["a",`, '],"sizes":[3,3],"fields":[],"shapes":[-1,0]}\n"a""b"'],
    ["{", "}\n"],
  ]),
  joints: [",", "\n"],
};

/** Returns a snapshot with the right magic and checksum. */
async function seal(content: Uint8Array): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from(content));
  return Buffer.concat([Buffer.from(`${magic}p`), Buffer.from(digest), content]);
}

const openSnapshots = { ...snapshots, frames: [...snapshots.frames, [`${magic}p`, ""], [`${magic}e`, ""]] } as const;

/** The JSON of an object in a snapshot that is right otherwise. */
function aroundObject(json: Uint8Array): Uint8Array {
  const index = { keys: ["a"], sizes: [json.length], fields: [["metadata", "data"]], shapes: [0] };
  return Buffer.concat([Buffer.from(`${head(1)}${JSON.stringify(index)}\n`), json]);
}

/** Reads a snapshot of an informer, and all its objects. */
function snapshotTarget(vocabulary: Vocabulary, toSnapshot: (bytes: Uint8Array) => Promise<Uint8Array>): Target {
  return {
    vocabulary,
    async prepare({ bytes }) {
      const stored = await toSnapshot(bytes);
      const reasons: unknown[] = [];
      const storage = { read: async () => stored, write: async () => undefined, remove: async () => undefined };
      const onError = (error: unknown): void => void reasons.push(error);
      const persistence = createPersistence({ ...options, storage, onError }).open(maps, {}, systemClock);
      return async () => {
        const restored = await persistence.load(new AbortController().signal);
        for (const object of restored?.objects.values() ?? []) touch(object);
        for (const reason of reasons) if (!(reason instanceof KubestreamError)) throw reason;
      };
    },
  };
}

const objects = jsonWords([
  ['{"spec":', "}"],
  ['{"metadata":{"managedFields":[{"manager":"a","fieldsV1":{"f:spec":{"f:l":{', '}}}}]},"spec":{"l":[{"name":"a"}]}}'],
  [
    '{"metadata":{"managedFields":[{"manager":"a","fieldsV1":{"f:spec":{"f:l":{"k:{\\"name\\":\\"a\\"}":{}}}}}]},"spec":{"l":[',
    "]}}",
  ],
]);
const parsed = (text: string): DynamicObject | undefined => {
  try {
    return JSON.parse(text) as DynamicObject;
  } catch {
    return undefined;
  }
};

const words = (values: Vocabulary["values"], joints: readonly string[]): Vocabulary => ({
  frames: [["", ""]],
  pairs: [],
  values,
  junk: ["\0", "\\", '"', "\n", "\r", "=", "{", "}", " ", "\xe2\x80\xa8"],
  joints,
});
const flags = words(
  [
    ...[
      "--secure-port=1",
      "--v",
      "--v=9",
      "--feature-gates=A=true",
      "--feature-gates=WatchList=false",
      "--tls-cert-file",
    ],
    ...[
      "--runtime-config=api/all=false",
      "--allow-privileged=true",
      "--allow-privileged=false",
      "--request-timeout=1s",
    ],
    ...["--max-requests-inflight=-1", "--max-requests-inflight=1e9", "--watch-cache=no", "--unknown", "--", "-v", "a"],
    ...["--authorization-mode=RBAC,Node", "--service-cluster-ip-range=::/0", "--etcd-servers=http://127.0.0.1:2379"],
  ],
  ["\n", "", "="],
);

function operationsTarget(): Target {
  let cleanUp: (() => Promise<void>) | undefined;
  const report = { ok: true, checks: [{ name: "ping", ok: true }] };
  const healthy = async (): Promise<typeof report> => report;
  return {
    chunked: true,
    maxBytes: 64 * 1024,
    vocabulary: {
      ...httpWords,
      values: [
        ...httpWords.values,
        ...["GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /readyz/x?verbose&exclude=a HTTP/1.1\r\nHost: a\r\n\r\n"],
        "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
      ],
    },
    wellFormed: (bytes) => ordinary(bytes, ["", ""], "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
    async prepare({ chunks }) {
      const manager = { done: new Promise<void>(() => undefined), health: healthy, readiness: healthy };
      const errors: unknown[] = [];
      const log = ({ error }: { readonly error?: unknown }): void => void (error !== undefined && errors.push(error));
      const served = await serveOperations(manager as never, { port: 0, host: "127.0.0.1", metrics: false, log });
      let close = (): void => undefined;
      cleanUp = async () => {
        close();
        await served.close();
      };
      return async () => {
        await exchange(served.port, chunks, (socket) => {
          close = () => socket.destroy();
          socket.setTimeout(500, close);
        });
        if (errors.length > 0) throw errors[0];
      };
    },
    async cleanUp() {
      await cleanUp?.();
    },
  };
}

/** Bytes from files, scrapers and command lines. */
export const stored: Record<string, Target> = {
  "snapshot-bytes": snapshotTarget(openSnapshots, async (bytes) => bytes),
  "snapshot-forged": snapshotTarget(snapshots, seal),
  "snapshot-object": snapshotTarget(objects, (bytes) => seal(aroundObject(bytes))),
  "plan-changes": {
    vocabulary: objects,
    wellFormed: (bytes) => ordinary(bytes, ['{"spec":{', "}}", ","], (at) => `"k${String(at)}":"1"`),
    prepare: ({ text }) => {
      const before = parsed(text);
      const after = parsed(text.replaceAll('"n0"', '"n1"').replaceAll("1", "2"));
      if (before === undefined || after === undefined) return () => undefined;
      return () => {
        const changes = fieldChanges(before, after).map((change) => ({ ...change, conflict: false }));
        formatPlan({ items: [{ apiVersion: "v1", kind: "Thing", name: "a", action: "change", changes }] });
      };
    },
  },
  traceparent: {
    maxBytes: 16 * 1024,
    vocabulary: words(["00", "-", "0".repeat(32), "a".repeat(16), "4bf92f3577b34da6a3ce929d0e0e4736", "ff"], ["-", ""]),
    prepare:
      ({ text }) =>
      () =>
        parseTraceparent(text),
  },
  "metric-labels": {
    maxBytes: 256 * 1024,
    vocabulary: words(["a", '"', "\\n", "# EOF\n", "x{y} 1\n", "\\", "\xff"], ["", "\n"]),
    prepare:
      ({ text }) =>
      () => {
        const lines = formatMetrics([
          { name: "a", help: text, type: "gauge", samples: [{ labels: { l: text }, value: 1 }] },
        ]).split("\n");
        if (lines.length !== 4) throw new Error(`a label or a help text makes ${String(lines.length)} lines`);
      },
  },
  "operations-port": operationsTarget(),
  "apiserver-flags": {
    maxBytes: 16 * 1024,
    vocabulary: flags,
    wellFormed: (bytes) => ordinary(bytes, ["", "", "\n"], "--v=9"),
    prepare:
      ({ text }) =>
      () => {
        const args = text.replaceAll("\0", "").split("\n");
        kubeOptions(parseOptions({ args, options: { ...kubeFlags } as never, allowPositionals: true }).values);
      },
    refuses: (error) =>
      error instanceof UsageError ||
      (error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/.test(String(error.code))),
  },
};
