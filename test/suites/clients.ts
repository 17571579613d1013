import { type Client, type ClientOptions, createClient } from "../../src/client/client.js";
import { cbor } from "../../src/codec/cbor/cbor.js";
import type { Codec } from "../../src/codec/codec.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import type { StatusError } from "../../src/errors/status-error.js";
import type { Deployment } from "../../src/kinds/apps/v1.js";
import { Namespace, type Pod } from "../../src/kinds/core/v1.js";
import { openTransport } from "../../src/node/connection/open-transport.js";
import type { Target } from "./target.js";

/** Returns a client for a suite's server, as the administrator unless `context` names another user. */
export async function clientOf(
  target: Pick<Target, "kubeconfig">,
  options: Partial<ClientOptions> & { context?: string } = {},
): Promise<Client> {
  const { context, ...rest } = options;
  const { transport } = await openTransport({
    kubeconfig: target.kubeconfig(),
    ...(context !== undefined && { context }),
  });
  return createClient({ transport, userAgent: "e2e/1", onWarning: () => undefined, ...rest });
}

let count = 0;

/** Creates a namespace for one test and returns its name. */
export async function freshNamespace(client: Client): Promise<string> {
  const name = `e2e-${Date.now().toString(36)}-${process.pid.toString(36)}-${++count}`;
  await client.resource(Namespace).create({ metadata: { name } });
  return name;
}

/** Returns the error of a request that a server refuses. */
export async function failure(request: Promise<unknown>): Promise<StatusError> {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason as StatusError,
  );
  if (error === undefined) throw new Error("expected a rejection");
  return error;
}

/** Returns a Deployment of one container. */
export const deployment = (name: string, image = "i", replicas?: number): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { a: name } },
    template: { metadata: { labels: { a: name } }, spec: { containers: [{ name: "c", image }] } },
  },
});

/** Returns a pod of one container. */
export const podOf = (name: string, labels: Record<string, string> = {}): Pod => ({
  metadata: { name, labels },
  spec: { containers: [{ name: "c", image: "i" }] },
});

/** Encodings of a client, with the codecs that it needs for them. */
export const encodings: [string, Codec[]][] = [
  ["json", []],
  ["protobuf", [protobuf()]],
  ["cbor", [cbor()]],
];
