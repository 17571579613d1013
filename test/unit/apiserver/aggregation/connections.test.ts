import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { expect, it } from "vitest";
import { createNodeApiCaller } from "../../../../src/apiserver/node/api-caller.js";
import { createServerCertificate } from "../../../../src/certificates/authority.js";
import { apiService, backend, resources, useAggregator, user, versionPath } from "./metrics-api.js";

const aggregator = useAggregator();
const { condition, send, start } = aggregator;

it("an APIService is reached over HTTPS with its caBundle, each group in a header of its own", async () => {
  const { ca, cert, key } = createServerCertificate(["127.0.0.1"], Date.now());
  let groups: readonly string[] | undefined;
  const remote = createServer({ cert, key }, (request, response) => {
    groups = request.headersDistinct["x-remote-group"];
    if (request.url === versionPath) response.end(JSON.stringify(resources));
    else response.end("{}");
  });
  await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
  try {
    const origin = `https://127.0.0.1:${String((remote.address() as AddressInfo).port)}`;
    const { insecureSkipTLSVerify: _skip, ...spec } = apiService.spec;
    const caBundle = Buffer.from(ca).toString("base64");
    await start(
      { callApi: createNodeApiCaller(), resolveService: () => origin },
      { ...apiService, spec: { ...spec, caBundle } },
    );
    expect(await condition()).toMatchObject({ status: "True" });
    expect((await send("DELETE", `${versionPath}/loads`)).status).toBe(200);
    expect(groups).toEqual(["dev", "system:masters", "system:authenticated"]);
  } finally {
    await new Promise((resolve) => remote.close(resolve));
  }
});

it("a user whose name isn't Latin-1 reaches an aggregated API as UTF-8", async () => {
  await start({ resolveService: () => backend });
  const request = new Request(`http://server${versionPath}/loads`);
  const response = await aggregator.server.handle(request, {
    user: { ...user, name: "李", groups: ["Gruppe ü", ...user.groups] },
  });
  const { headers } = (await response.json()) as { headers: Record<string, string> };
  const text = (value: string | undefined): string => Buffer.from(value ?? "", "latin1").toString("utf8");
  expect([response.status, text(headers["x-remote-user"])]).toEqual([200, "李"]);
  expect(text(headers["x-remote-group"])).toContain("Gruppe ü");
});

it.each([
  ["HTTP/1.1 600 Odd\r\ncontent-length: 0\r\n\r\n", "the server sent an invalid response"],
  ["HTTP/1.1 101 Switch\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n", "the server switched protocols"],
  ["HTTP/1.1 205 Reset\r\ncontent-length: 0\r\n\r\n", "end of JSON input"],
  ["HTTP/1.1 200 OK\r\na: \x01\r\n\r\n", "Invalid header value char"],
  ["nothing of HTTP\r\n\r\n", "Parse Error"],
  ["", "socket hang up"],
])("an aggregated API server that answers %j doesn't end the process", async (answer, message) => {
  const remote = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(answer, "latin1"));
  });
  await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
  const { port } = remote.address() as AddressInfo;
  await start({ callApi: createNodeApiCaller(), resolveService: () => `http://127.0.0.1:${String(port)}` });
  expect(await condition()).toMatchObject({ status: "False", message: expect.stringContaining(message) as string });
  await new Promise((resolve) => remote.close(resolve));
});
