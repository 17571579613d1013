import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { serve } from "../local-server.js";
import { call, clusterServer, loginFiles, open } from "./login-setup.js";

const { kubeconfig } = loginFiles();

describe("secrets", () => {
  it("do not appear in anything that a client exposes", async () => {
    await using server = await clusterServer();
    await using client = await open(await kubeconfig(server.url, { token: "s3cret-token" }));
    await call(client);
    expect(inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client)).not.toContain("s3cret");
  });

  it.each<
    [
      string,
      object,
      (
        request: { headers: Record<string, unknown> },
        response: { destroy(): void; writeHead(code: number): { end(text: string): void } },
      ) => void,
    ]
  >([
    [
      "is refused with an error that contains the token",
      { token: "s3cret.s3cret.s3cret" },
      (request, response) =>
        response.writeHead(401).end(`bad credentials: ${String(request.headers["authorization"])}`),
    ],
    [
      "fails with a password",
      { username: "u", password: "s3cret-s3cret" },
      (request, response) => response.writeHead(500).end(String(request.headers["authorization"])),
    ],
    ["breaks", { token: "s3cret" }, (_, response) => response.destroy()],
    ["gets no response", { token: "s3cret" }, () => undefined],
  ])("do not appear in the error if a request %s", async (_name, user, handle) => {
    await using server = await serve((request, response) => handle(request as never, response as never), {});
    await using client = await open(await kubeconfig(server.url, user), { timeoutMs: 300, retry: false });
    const error = await call(client).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    const shown =
      inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + String((error as Error).stack);
    for (const secret of ["s3cret", Buffer.from("u:s3cret-s3cret").toString("base64")])
      expect(shown).not.toContain(secret);
  });

  it("are not sent to the target of a redirect", async () => {
    await using elsewhere = await clusterServer();
    await using server = await serve(
      (_request, response) => response.writeHead(307, { location: `${elsewhere.url}/` }).end(),
      {},
    );
    await using client = await open(await kubeconfig(server.url, { token: "s3cret" }));
    await expect(call(client)).rejects.toThrow();
    expect(elsewhere.seen).toEqual([]);
  });
});
