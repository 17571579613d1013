import { readFileSync } from "node:fs";
import { Decoder, Encoder } from "cbor-x";
import protobufjs from "protobufjs";
import { describe, expect, it } from "vitest";
import { cbor } from "../../../src/codec/cbor/cbor.js";
import { json } from "../../../src/codec/json/json.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { isRecorded, recordedBytes, recordings } from "../../golden/recordings.js";

const proto = new URL("../../../proto/", import.meta.url);

/** The .proto files, parsed by protobufjs. */
function loadProto(): protobufjs.Root {
  const root = new protobufjs.Root();
  const files = [
    "api/core/v1",
    "api/apps/v1",
    "api/rbac/v1",
    "api/coordination/v1",
    "api/events/v1",
    "api/networking/v1",
    "api/autoscaling/v2",
    "api/flowcontrol/v1",
    "apimachinery/pkg/apis/meta/v1",
    "apimachinery/pkg/runtime",
    "apimachinery/pkg/runtime/schema",
    "apimachinery/pkg/api/resource",
    "apimachinery/pkg/util/intstr",
    "apiextensions-apiserver/pkg/apis/apiextensions/v1",
    "kube-aggregator/pkg/apis/apiregistration/v1",
  ];
  for (const file of files)
    protobufjs.parse(readFileSync(new URL(`k8s.io/${file}/generated.proto`, proto), "utf8"), root, { keepCase: true });
  root.resolveAll();
  return root;
}

const root = loadProto();
const Unknown = root.lookupType("k8s.io.apimachinery.pkg.runtime.Unknown");

/** Kinds of the recordings and the names of their messages. */
const packages: Record<string, string> = {
  v1: "k8s.io.api.core.v1",
  "apps/v1": "k8s.io.api.apps.v1",
  "rbac.authorization.k8s.io/v1": "k8s.io.api.rbac.v1",
  "coordination.k8s.io/v1": "k8s.io.api.coordination.v1",
  "events.k8s.io/v1": "k8s.io.api.events.v1",
  "networking.k8s.io/v1": "k8s.io.api.networking.v1",
  "autoscaling/v2": "k8s.io.api.autoscaling.v2",
  "flowcontrol.apiserver.k8s.io/v1": "k8s.io.api.flowcontrol.v1",
  "apiextensions.k8s.io/v1": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1",
};

interface Envelope {
  typeMeta: { apiVersion: string; kind: string };
  raw: Uint8Array;
}

const bases = [...new Set(recordings.map(({ name }) => name.replace(/\.(cbor|json|pb|yaml)$/, "")))].filter(
  (base) =>
    isRecorded(`${base}.pb.pb`) &&
    isRecorded(`${base}.json.json`) &&
    !base.includes("watch") &&
    !base.startsWith("widget"),
);

describe("protobufjs with the original .proto files", () => {
  it.each(bases)("decodes our encoding of %s like the server's", (base) => {
    const recorded = recordedBytes(`${base}.pb.pb`);
    const { typeMeta, raw } = Unknown.decode(recorded.subarray(4)) as unknown as Envelope;
    const name = `${packages[typeMeta.apiVersion] ?? ""}.${typeMeta.kind}`;
    const Message =
      packages[typeMeta.apiVersion] === undefined || ["Status"].includes(typeMeta.kind)
        ? undefined
        : (root.lookup(name) as protobufjs.Type | null);
    if (!Message) return;
    const object = json().decode(recordedBytes(`${base}.json.json`));
    if ((object as { apiVersion?: string }).apiVersion !== typeMeta.apiVersion) return;
    const ours = Unknown.decode(protobuf().encode(object).subarray(4)) as unknown as Envelope;
    expect(ours.typeMeta).toEqual(typeMeta);
    // Raw JSON may differ in spacing and order, so compare its parsed value.
    expect(withParsedJson(Message.toObject(Message.decode(ours.raw), { bytes: String, longs: Number }))).toEqual(
      withParsedJson(Message.toObject(Message.decode(raw), { bytes: String, longs: Number })),
    );
  });
});

function withParsedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withParsedJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (/^raw$/i.test(key) && typeof item === "string") {
        try {
          return [key, JSON.parse(Buffer.from(item, "base64").toString()) as unknown];
        } catch {
          return [key, item];
        }
      }
      return [key, withParsedJson(item)];
    }),
  );
}

describe("cbor-x with Kubernetes' keys", () => {
  const decoder = new Decoder({ mapsAsObjects: false });
  const plain = (value: unknown): unknown => {
    if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [text(key), plain(item)]));
    if (Array.isArray(value)) return value.map(plain);
    if (value instanceof Uint8Array) return text(value);
    if (typeof value === "object" && value !== null && "tag" in value) {
      const { tag, value: content } = value as { tag: number; value: unknown };
      return tag === 22 ? Buffer.from(content as Uint8Array).toString("base64") : plain(content);
    }
    return typeof value === "bigint" ? Number(value) : value;
  };
  const text = (value: unknown): string =>
    value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : String(value);

  it.each(bases.filter((base) => isRecorded(`${base}.cbor.cbor`)))(
    "decodes %s like we do, from the server and from us",
    (base) => {
      const recorded = recordedBytes(`${base}.cbor.cbor`);
      const object = cbor().decode(recorded);
      expect(plain(decoder.decode(recorded))).toEqual(object);
      expect(plain(decoder.decode(cbor().encode(object)))).toEqual(object);
    },
  );

  it("encodes what we decode", () => {
    const object = json().decode(recordedBytes("pod.get.json.json"));
    for (const options of [
      {},
      { variableMapSize: true, useRecords: false },
      { useRecords: false, mapsAsObjects: true },
    ]) {
      expect(cbor().decode(new Encoder({ useRecords: false, ...options }).encode(object))).toEqual(object);
    }
  });
});
