import { describe, expect, it } from "vitest";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";

describe("a message in pieces", () => {
  const pod = (part: object): Uint8Array => protobuf().encode({ apiVersion: "v1", kind: "Pod", ...part });
  const contentStart = 4 + 2 + 9 + 1;
  /** Messages that follow each other are one message, says Protobuf. */
  const join = (...all: Uint8Array[]): Uint8Array => {
    const content = all.flatMap((bytes) => [...bytes.subarray(contentStart + lengthOfLength(bytes), bytes.length - 4)]);
    return Uint8Array.of(...all[0]!.subarray(0, contentStart), (content.length & 127) | 128, content.length >>> 7, ...content);
  };
  const lengthOfLength = (bytes: Uint8Array): number => (bytes[contentStart]! > 127 ? 2 : 1);

  it.each([undefined, { lazy: true }, { previous: () => undefined }])("is joined, with %j", (options) => {
    const bytes = join(
      pod({ metadata: { name: "a", labels: { x: "1" } }, spec: { containers: [{ name: "c1" }], nodeSelector: { a: "1" }, securityContext: { runAsUser: 1 } } }),
      pod({ metadata: { namespace: "n", labels: { y: "2" } }, spec: { containers: [{ name: "c2" }], nodeSelector: { b: "2" }, securityContext: { fsGroup: 2 }, nodeName: "node" } }),
    );
    const joined = JSON.parse(JSON.stringify(protobuf().decode(bytes, options))) as object;
    expect(joined).toMatchObject({
      metadata: { name: "a", namespace: "n", labels: { x: "1", y: "2" } },
      spec: { containers: [{ name: "c1" }, { name: "c2" }], nodeSelector: { a: "1", b: "2" }, securityContext: { runAsUser: 1, fsGroup: 2 }, nodeName: "node" },
    });
  });
});
