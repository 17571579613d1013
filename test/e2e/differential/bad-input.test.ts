import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type Listener, listen } from "../../../src/apiserver/node/listen.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../src/certificates/authority.js";
import { shortRaw } from "../../support/raw-compare.js";
import { exchange, type RawAnswer } from "../../support/raw-http.js";
import { rawObjects, rawRequests, rawWidget } from "../../support/raw-requests.js";

const { missing, kubeconfig } = inject("real");

const parser = "Node's parser of HTTP is stricter or laxer than Go's";
const wording = "the texts of Go's parsers are not copied that far";
const depth = "what is nested deeper than our decoders follow is refused";
const skipped = "Go skips unread what no field is there for; our codec reads all of it";

/** Known differences: our status code and the reason. */
const known: Readonly<Record<string, readonly [status: number, why: string]>> = {
  "OPTIONS of an asterisk": [404, parser],
  "DELETE /metrics": [200, "the set of metrics is not compared"],
  "HTTP/1.2": [400, parser],
  "lines that end with LF only": [400, parser],
  "two spaces in the request line": [200, parser],
  "a space at the end of the request line": [400, parser],
  "a header without a colon": [400, parser],
  "a header without a name": [400, parser],
  "a folded header": [400, parser],
  "bytes of UTF-8 in the path": [400, parser],
  "an authority instead of a path": [400, parser],
  "two lengths that agree": [400, parser],
  "a length and chunks": [400, parser],
  "a chunk size that is no number": [400, parser],
  "a chunk longer than its size": [400, parser],
  "chunks in HTTP/1.0": [201, parser],
  "a method in lower case": [400, parser],
  "a custom method": [400, parser],
  "GET /api/v1/namespaces/raw/configmaps/%ff": [404, wording],
  "GET /api/v1/namespaces/raw/configmaps/%C3%28": [404, wording],
  "GET /apis/raw.test/v1/namespaces/raw/widgets/%ff": [404, wording],
  "Impersonate-Extra-%ff: x": [400, wording],
  'JSON "{\\"a\\":1e999}"': [400, skipped],
  "YAML with an unknown tag": [400, skipped],
  "YAML nested 1000 deep": [400, depth],
  "YAML nested 9999 deep": [400, depth],
  "JSON nested 9999 deep in a custom resource": [400, depth],
  "CBOR nested 1000 deep": [400, depth],
  "CBOR nested 1000 deep in an unknown field": [400, depth],
  "CBOR nested 9999 deep": [400, depth],
  "CBOR nested 9999 deep in an unknown field": [400, depth],
  "YAML with a key that is null": [400, wording],
  "YAML with a key that is a list": [400, wording],
  "CBOR: a key twice": [400, wording],
  "CBOR: a key that is a number": [400, skipped],
  "CBOR: text that is no UTF-8": [400, skipped],
  "CBOR: undefined": [400, skipped],
  "CBOR: a simple value": [400, skipped],
  "CBOR: an unsigned number of 64 bits": [400, skipped],
  "CBOR as JSON": [400, wording],
  "a Protobuf with a length beyond all bounds": [400, wording],
  "a Protobuf to a custom resource": [415, "a real server drops the connection"],
};

/** Requests that are barely or not at all HTTP. Node's parser answers them, so only the refusal is compared. */
const malformed = new Set([
  "text instead of a request",
  "http/1.1 in lower case",
  "a tab in the request line",
  "a missing host",
  "two hosts",
  "a host with a space",
  "a host with a slash",
  "a request line without a version",
  "HTTP/0.9",
  "a header name with a space",
  "a space before the colon",
  "a first header that begins with a space",
  "a zero byte in a header",
  "a carriage return in a header",
  "a zero byte in the path",
  "a target without a slash",
  "a content length that is not a number",
  "a negative content length",
  "a content length with a plus sign",
  "an empty content length",
  "a content length beyond 64 bits",
  "two lengths that do not",
  "a method with an unusual character",
  "HTTP/3.0",
  "CONNECT",
  "CONNECT of a path",
  "headers of 2 MiB",
  "a path of 2 MiB",
  "gzip as transfer encoding",
  "an unknown transfer encoding",
]);

const isRefused = ({ status }: Readonly<Record<string, unknown>>): boolean =>
  typeof status !== "number" || status < 200 || status >= 400;

describe.skipIf(missing !== undefined)(
  `bad input and special endpoints get the same answers as from a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let real: string;
    let ours: string;
    let server: ApiServer;
    let listener: Listener;

    async function post(url: string, [path, object]: readonly [string, object]): Promise<RawAnswer> {
      const body = JSON.stringify(object);
      return exchange(url, [
        `POST ${path} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer admin-token\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      ]);
    }

    beforeAll(async () => {
      real = /server: "([^"]+)"/.exec(readFileSync(kubeconfig!, "utf8"))![1]!;
      const tokens = new Map([
        ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
        ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
      ]);
      server = createApiServer({ tokens, authorizationMode: "RBAC", controllers: false });
      listener = await listen(server, { allowedHosts: ["*"], tls: createServerCertificate(["127.0.0.1"], Date.now()) });
      ours = listener.secureUrl!;
      for (const url of [real, ours]) {
        for (const one of rawObjects) expect((await post(url, one)).status).toBe(201);
        await vi.waitFor(async () => expect((await post(url, rawWidget)).status).toBe(201), { timeout: 20_000 });
      }
    });

    afterAll(async () => {
      for (const path of [
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.raw.test",
        "/api/v1/namespaces/raw/configmaps/there",
        "/api/v1/namespaces/raw",
      ]) {
        await exchange(real, [
          `DELETE ${path} HTTP/1.1\r\nHost: server\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n\r\n`,
        ]);
      }
      await server.close();
      await listener.close();
    });

    it.each(
      rawRequests.map(({ title, parts }) => [title.length > 150 ? `${title.slice(0, 150)}…` : title, parts] as const),
    )("%s", async (title, parts) => {
      const [wanted, got] = (await Promise.all([exchange(real, parts), exchange(ours, parts)])).map(shortRaw);
      const exception = known[title];
      if (exception !== undefined) expect(got).toMatchObject({ status: exception[0] });
      else if (malformed.has(title)) expect(isRefused(got!), `ours: ${JSON.stringify(got)}`).toBe(isRefused(wanted!));
      else expect(got).toEqual(wanted);
    });
  },
);
