import { connect as connectHttp2 } from "node:http2";
import { request as httpsRequest } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listener } from "../../../../src/apiserver/node/listen.js";
import { listen } from "../../../../src/apiserver/node/listen.js";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import type { KeyPair } from "../../../../src/certificates/authority.js";
import { createCertificateAuthority } from "../../../../src/certificates/authority.js";

const yearMs = 365 * 86_400_000;
const users = createCertificateAuthority(Date.now());
const proxies = createCertificateAuthority(Date.now());
const strangers = createCertificateAuthority(Date.now());
const expired = createCertificateAuthority(Date.now() - 2 * yearMs);

let server: ApiServer;
let listener: Listener;

beforeAll(async () => {
  server = createApiServer({
    controllers: false,
    clientCa: users.ca + expired.ca,
    requestHeader: { clientCa: proxies.ca },
    tokens: new Map([["secret", { name: "token-user", uid: "", groups: [], extra: {} }]]),
  });
  listener = await listen(server, { tls: users.server(["127.0.0.1"]) });
});
afterAll(async () => {
  await listener.close();
  await server.close();
});

const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

/** Returns the user as the server sees it, or the status code of a refusal. */
function whoAmI(pair: KeyPair | undefined, headers: Record<string, string> = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      ca: users.ca,
      agent: false as const,
      ...pair,
    };
    const request = httpsRequest(listener.secureUrl! + path, options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(userOf(response.statusCode, text)));
    });
    request.on("error", reject);
    request.end("{}");
  });
}

function userOf(code: number | undefined, text: string): unknown {
  if (code !== 201) return code;
  const { username, groups } = (JSON.parse(text) as { status: { userInfo: { username: string; groups: string[] } } })
    .status.userInfo;
  return `${username} ${groups.join()}`;
}

const anonymous = "system:anonymous system:unauthenticated";
const remote = { "x-remote-user": "root", "x-remote-group": "system:masters" };

describe("client certificates", () => {
  it.each<[string, () => KeyPair | undefined, Record<string, string>, unknown]>([
    [
      "name the user and its groups",
      () => users.client("jane", ["dev", "ops"]),
      {},
      "jane dev,ops,system:authenticated",
    ],
    ["aren't required", () => undefined, {}, anonymous],
    ["of another authority are refused", () => strangers.client("jane"), {}, 401],
    ["that have expired are refused", () => expired.client("jane"), {}, 401],
    ["for servers are refused", () => users.server(["jane"]), {}, 401],
    [
      "that are invalid don't keep a valid token out",
      () => strangers.client("jane"),
      { authorization: "Bearer secret" },
      "token-user system:authenticated",
    ],
    ["of users don't let them act for others", () => users.client("jane"), remote, "jane system:authenticated"],
    [
      "of the proxy let it act for others",
      () => proxies.client("front"),
      remote,
      "root system:masters,system:authenticated",
    ],
    ["of the proxy aren't users", () => proxies.client("front"), {}, 401],
    ["can't be replaced by headers", () => undefined, { ...remote, "x-client-identity": "{}" }, anonymous],
  ])("%s", async (_title, pair, headers, expected) => {
    expect(await whoAmI(pair(), headers)).toBe(expected);
  });

  it("identify the client of an HTTP/2 connection", async () => {
    const session = connectHttp2(listener.secureUrl!, { ca: users.ca, ...users.client("jane", ["dev"]) });
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/json" });
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    stream.end("{}");
    await new Promise((resolve) => stream.on("end", resolve));
    session.close();
    expect(userOf(201, text)).toBe("jane dev,system:authenticated");
  });
});
