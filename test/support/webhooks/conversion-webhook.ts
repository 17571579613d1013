import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServerCertificate } from "../../../src/certificates/authority.js";

/** Object passing through the webhook. */
export interface Convertible {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  [field: string]: unknown;
}

/** Request that a conversion webhook receives. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Convertible[];
}

/** The `response` field of the answer. */
export type ConversionAnswer = Record<string, unknown>;

/** Converts `spec.hostPort` of v1 to `spec.host` and `spec.port` of v2, and back. v3 is v2 under another name. */
export function convertEndpoint(object: Convertible, apiVersion: string): Convertible {
  const { spec = {}, ...rest } = structuredClone(object);
  const target = apiVersion.split("/")[1];
  const { hostPort, host, port, ...others } = spec as { hostPort?: string; host?: string; port?: string };
  const [fromHost, fromPort] = hostPort === undefined ? [host, port] : hostPort.split(":");
  const place =
    target === "v1"
      ? {
          ...(fromHost === undefined && fromPort === undefined
            ? {}
            : { hostPort: `${fromHost ?? ""}:${fromPort ?? ""}` }),
        }
      : {
          ...(fromHost === undefined ? {} : { host: fromHost }),
          ...(fromPort === undefined ? {} : { port: fromPort }),
        };
  return { ...rest, apiVersion, kind: rest.kind, metadata: rest.metadata, spec: { ...others, ...place } };
}

/** Returns the answer of a correct webhook. */
export function convertAll({ uid, desiredAPIVersion, objects }: ConversionRequest): ConversionAnswer {
  return {
    uid,
    result: { status: "Success" },
    convertedObjects: objects.map((object) => convertEndpoint(object, desiredAPIVersion)),
  };
}

/** Faulty answers by name. In all of them, `metadata` is the same for `v1` and `v2` objects. */
export const faults: Readonly<Record<string, (request: ConversionRequest) => unknown>> = {
  "reports a failure": ({ uid }) => ({ uid, result: { status: "Failure", message: "no way back" } }),
  "reports a failure without a message": ({ uid }) => ({ uid, result: { status: "Failure" } }),
  "has no status": ({ uid }) => ({ uid, result: {} }),
  "has another uid": (request) => ({ ...convertAll(request), uid: "other" }),
  "drops objects": (request) => ({ ...convertAll(request), convertedObjects: [] }),
  "adds objects": (request) => ({
    ...convertAll(request),
    convertedObjects: [...request.objects, ...request.objects].map((object) =>
      convertEndpoint(object, request.desiredAPIVersion),
    ),
  }),
  "doesn't change the version": (request) => ({ ...convertAll(request), convertedObjects: request.objects }),
  "changes the kind": (request) => each(request, (object) => ({ ...object, kind: "Other" })),
  "changes a name": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, name: "other" } })),
  "changes the namespace": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, namespace: "other" } })),
  "changes the uid": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, uid: "other" } })),
  "drops the metadata": (request) => each(request, ({ metadata: _metadata, ...object }) => object),
  "has metadata of a wrong type": (request) => each(request, (object) => ({ ...object, metadata: "none" })),
  "has labels of a wrong type": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: "none" } })),
  "has a label that isn't a string": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 1 } } })),
  "has a bad label": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: { "bad label": "x" } } })),
  "has a bad label value": (request) =>
    each(request, (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: "not ok" } } })),
  "has a bad annotation": (request) =>
    each(request, (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { "bad annotation": "x" } },
    })),
  "adds labels and fields": (request) =>
    each(request, (object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        labels: { to: "x" },
        annotations: { asked: request.desiredAPIVersion },
        finalizers: ["a.b/c"],
        generation: 77,
      },
      spec: { ...object.spec, unknown: 1, nothing: null },
      more: true,
    })),
  "answers no objects": (request) => ({ ...convertAll(request), convertedObjects: request.objects.map(() => null) }),
  "answers numbers": (request) => ({ ...convertAll(request), convertedObjects: request.objects.map(() => 7) }),
  "has no kind": (request) => each(request, ({ kind: _kind, ...object }) => object),
  "has no response": () => undefined,
};

function each(request: ConversionRequest, change: (object: Convertible) => unknown): ConversionAnswer {
  return {
    ...convertAll(request),
    convertedObjects: request.objects.map((object) => change(convertEndpoint(object, request.desiredAPIVersion))),
  };
}

/** Conversion webhook over TLS. */
export interface ConversionWebhook {
  /** URL of the webhook. */
  readonly url: string;
  /** Certificate authority of the webhook, for the definition. */
  readonly caBundle: string;
  /** Requests received so far. */
  readonly requests: ConversionRequest[];
  /** Creates the answers: the complete body if it returns a string, else the `response` field. */
  answer: (request: ConversionRequest) => unknown;
  /** Status code of the answers. */
  status: number;
  /** Stops the webhook. */
  close(): Promise<void>;
}

/** Starts a webhook on a free local port. */
export async function startConversionWebhook(): Promise<ConversionWebhook> {
  const certificate = createServerCertificate(["127.0.0.1", "localhost"], Date.now());
  const hook = {
    requests: [] as ConversionRequest[],
    answer: convertAll as (request: ConversionRequest) => unknown,
    status: 200,
  };
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
        apiVersion: string;
        request: ConversionRequest;
      };
      hook.requests.push(review.request);
      const answer = hook.answer(review.request);
      response
        .writeHead(hook.status, { "content-type": "application/json", connection: "close" })
        .end(
          typeof answer === "string"
            ? answer
            : JSON.stringify({ apiVersion: review.apiVersion, kind: "ConversionReview", response: answer }),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(hook, {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
    caBundle: Buffer.from(certificate.ca).toString("base64"),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
