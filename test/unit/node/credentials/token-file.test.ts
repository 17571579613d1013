import { rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { call, clusterServer, loginFiles, movableClock, open } from "./login-setup.js";

const { put, kubeconfig } = loginFiles();

describe("token file", () => {
  it("is read again every minute and after a 401, and the last token stays if the file is gone", async () => {
    let valid = "one";
    await using server = await clusterServer((authorization) => authorization === `Bearer ${valid}`);
    const file = await put("token", "one\n");
    const clock = movableClock();
    await using client = await open(await kubeconfig(server.url, { tokenFile: "token" }), { clock });
    await call(client);
    await writeFile(file, "two");
    await call(client);
    valid = "two";
    await call(client);
    await writeFile(file, "three");
    valid = "three";
    clock.advance(61_000);
    await call(client);
    await rm(file);
    clock.advance(61_000);
    await call(client);
    expect(server.seen.map((seen) => seen.authorization)).toEqual(
      ["one", "one", "one", "two", "three", "three"].map((token) => `Bearer ${token}`),
    );
    valid = "four";
    await expect(call(client)).rejects.toMatchObject({ name: "StatusError", code: 401 });
    expect(server.seen.length).toBe(7);
  });
});

it("token is used as long as its tokenFile does not exist, like kubectl", async () => {
  await using server = await clusterServer();
  const clock = movableClock();
  await using client = await open(await kubeconfig(server.url, { token: "first", tokenFile: "later" }), { clock });
  await call(client);
  await put("later", "second");
  await call(client);
  clock.advance(61_000);
  await call(client);
  expect(server.seen.map((seen) => seen.authorization)).toEqual(["Bearer first", "Bearer first", "Bearer second"]);
});
