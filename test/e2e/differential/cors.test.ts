import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listener, listen } from "../../../src/apiserver/node/listen.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { createServerCertificate } from "../../../src/certificates/authority.js";
import { shortRaw } from "../../support/raw-compare.js";
import { exchange, type RawAnswer } from "../../support/raw-http.js";
import { missingReason, type RealApiServer, startRealApiServer } from "../real-apiserver.js";

const missing = missingReason();
const origins = ["//allowed\\.test(:|$)", "^https://exact\\.test:8443$", "(?i)//folded\\.test$"];
const configMaps = "/api/v1/namespaces/default/configmaps";

type Headers = Readonly<Record<string, string>>;
type Row = readonly [title: string, method: string, path: string, headers: Headers];

const asking = (origin: string, more: Headers = {}): Headers => ({ Origin: origin, ...more });
const preflight = (origin: string, method: string, headers = ""): Headers => ({
  Origin: origin,
  Authorization: "(none)",
  "Access-Control-Request-Method": method,
  ...(headers === "" ? {} : { "Access-Control-Request-Headers": headers }),
});

const rows: readonly Row[] = [
  ["no origin", "GET", configMaps, {}],
  ...[
    "https://allowed.test",
    "http://allowed.test:3000",
    "https://evil-allowed.test",
    "https://not.allowed.test",
    "https://allowed.test.evil",
    "https://ALLOWED.test",
    "https://exact.test:8443",
    "https://exact.test",
    "https://FOLDED.test",
    "null",
    "allowed.test",
    "*",
    "https://allowed.test https://evil.test",
    "https://other.test",
  ].flatMap((origin): Row[] => [
    [`a read from ${origin}`, "GET", `${configMaps}?limit=1`, asking(origin)],
    [`a preflight from ${origin}`, "OPTIONS", configMaps, preflight(origin, "PATCH", "authorization, content-type")],
  ]),
  ...[
    "/version",
    "/healthz",
    "/nothing",
    "/apis/apps/v1",
    "/openapi/v3",
    `${configMaps}/none`,
    "/api/v1/watch",
  ].flatMap((path): Row[] => [
    [`${path} from an allowed origin`, "GET", path, asking("https://allowed.test")],
    [`a preflight of ${path}`, "OPTIONS", path, preflight("https://allowed.test", "GET")],
  ]),
  ["a preflight without a method", "OPTIONS", configMaps, asking("https://allowed.test", { Authorization: "(none)" })],
  [
    "a preflight with a bad token",
    "OPTIONS",
    configMaps,
    { ...preflight("https://allowed.test", "GET"), Authorization: "Bearer nobody" },
  ],
  [
    "a preflight of another origin with a bad token",
    "OPTIONS",
    configMaps,
    { ...preflight("https://other.test", "GET"), Authorization: "Bearer nobody" },
  ],
  ["a bad token", "GET", configMaps, asking("https://allowed.test", { Authorization: "Bearer nobody" })],
  ["no token", "GET", configMaps, asking("https://allowed.test", { Authorization: "(none)" })],
  ["a user without rights", "GET", configMaps, asking("https://allowed.test", { Authorization: "Bearer alice-token" })],
  ["a HEAD", "HEAD", "/version", asking("https://allowed.test")],
  ["a method that is not allowed", "POST", "/version", asking("https://allowed.test")],
  [
    "a watch",
    "GET",
    `${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=none`,
    asking("https://allowed.test"),
  ],
  ["a bad query", "GET", `${configMaps}?limit=x`, asking("https://allowed.test")],
];

describe.skipIf(missing !== undefined)(
  `cross-origin requests get the same answers as from a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    let real: RealApiServer;
    let server: ApiServer;
    let listener: Listener;

    beforeAll(async () => {
      real = await startRealApiServer([`--cors-allowed-origins=${origins.join(",")}`]);
      const tokens = new Map([
        ["admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters"], extra: {} }],
        ["alice-token", { name: "alice", uid: "alice-uid", groups: ["dev"], extra: {} }],
      ]);
      server = createApiServer({ tokens, authorizationMode: "RBAC", controllers: false, corsAllowedOrigins: origins });
      listener = await listen(server, { allowedHosts: ["*"], tls: createServerCertificate(["127.0.0.1"], Date.now()) });
    });

    afterAll(async () => {
      await real.stop();
      await server.close();
      await listener.close();
    });

    /** Headers to compare, including all that browsers evaluate. */
    function short(answer: RawAnswer): object {
      const own = [...answer.headers].filter(([name]) => name.startsWith("access-control-") || name === "vary");
      return { ...shortRaw(answer), cors: Object.fromEntries(own) };
    }

    it.each(rows)("%s", async (_, method, path, headers) => {
      const all = Object.entries({
        Host: "server",
        Authorization: "Bearer admin-token",
        "User-Agent": "cors/1",
        Connection: "close",
        ...headers,
      }).filter(([, value]) => value !== "(none)");
      const bytes = `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
      const [wanted, got] = (
        await Promise.all([exchange(real.server, [bytes]), exchange(listener.secureUrl!, [bytes])])
      ).map(short);
      expect(got).toEqual(wanted);
    });
  },
);
