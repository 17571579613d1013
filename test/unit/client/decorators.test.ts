import { describe, expect, it, vi } from "vitest";
import { dedupeWarnings, parseWarnings } from "../../../src/client/call/warnings.js";
import { type Client, createClient } from "../../../src/client/client.js";
import { withDryRun } from "../../../src/client/decorators/with-dry-run.js";
import { withFieldManager } from "../../../src/client/decorators/with-field-manager.js";
import { withFieldValidation } from "../../../src/client/decorators/with-field-validation.js";
import { withImpersonation } from "../../../src/client/decorators/with-impersonation.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import type { TransportRequest } from "../../../src/transport/transport.js";
import { type Answer, bodyOf, scripted } from "./scripted-transport.js";

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } as const;

async function requestOf(
  decorate: (client: Client) => Client,
  act: (maps: ReturnType<typeof mapsOf>) => Promise<unknown>,
): Promise<TransportRequest> {
  const transport = scripted({ body: object } as Answer);
  await act(mapsOf(decorate(createClient({ transport, headers: { "X-Team": "a" } }))));
  return transport.requests[0]!;
}
const mapsOf = (client: Client) => client.resource(ConfigMap).namespace("x");

describe("client decorators", () => {
  it("withDryRun adds dryRun=All to writes only", async () => {
    expect((await requestOf(withDryRun, (m) => m.create({}))).path).toMatch(/\?dryRun=All$/);
    expect((await requestOf(withDryRun, (m) => m.get("a"))).path).not.toMatch(/dryRun/);
    expect(bodyOf(await requestOf(withDryRun, (m) => m.delete("a")))).toMatchObject({
      kind: "DeleteOptions",
      dryRun: ["All"],
    });
  });

  it("withFieldManager sets a default that a call can override", async () => {
    expect(
      (
        await requestOf(
          (c) => withFieldManager(c, "me"),
          (m) => m.patch("a", { type: "merge", patch: {} }),
        )
      ).path,
    ).toMatch(/\?fieldManager=me$/);
    expect(
      (
        await requestOf(
          (c) => withFieldManager(c, "me"),
          (m) => m.create({}, { fieldManager: "you" }),
        )
      ).path,
    ).toMatch(/\?fieldManager=you$/);
    const applied = scripted({ body: object });
    await withFieldManager(createClient({ transport: applied }), "me")
      .resource(ConfigMap)
      .namespace("x")
      .apply(object);
    expect(withFieldManager(createClient({ transport: applied }), "me").fieldManager).toBe("me");
    expect(createClient({ transport: applied }).fieldManager).toBeUndefined();
    expect(applied.requests[0]!.path).toMatch(/\?fieldManager=me$/);
    expect(() => withFieldManager(createClient({ transport: scripted() }), "x".repeat(129))).toThrow(
      "at most 128 bytes",
    );
  });

  it("withFieldValidation adds fieldValidation to writes", async () => {
    expect(
      (
        await requestOf(
          (c) => withFieldValidation(c, "Strict"),
          (m) => m.update(object),
        )
      ).path,
    ).toMatch(/\?fieldValidation=Strict$/);
  });

  it("withImpersonation sends the user, groups and extra fields together with other decorators", async () => {
    const request = await requestOf(
      (c) =>
        withDryRun(
          withImpersonation(c, {
            user: "jane",
            groups: ["dev", "a, b"],
            uid: "u-1",
            extra: { "Scopes/X (ä)": ["1", "2"] },
          }),
        ),
      (m) => m.create({}),
    );
    expect(request.headers).toMatchObject({ "impersonate-user": "jane", "impersonate-uid": "u-1", "x-team": "a" });
    expect(request.multiHeaders).toEqual({
      "impersonate-group": ["dev", "a, b"],
      "impersonate-extra-scopes%2fx%20%28%c3%a4%29": ["1", "2"],
    });
    expect(request.path).toMatch(/dryRun=All/);
  });

  it.each([
    [{ user: "" }, "user must be a non-empty string"],
    [{ user: "a\r\nAuthorization: x" }, "control characters"],
    [{ user: "a", groups: ["g\n"] }, "control characters"],
    [{ user: "a", extra: { "": ["x"] } }, "must not be empty"],
    [{ user: "a", extra: { k: ["x\0"] } }, "control characters"],
  ])("withImpersonation rejects %j", (as, message) => {
    expect(() => withImpersonation(createClient({ transport: scripted() }), as)).toThrow(message);
  });

  it("createClient rejects an Authorization header", () => {
    expect(() => createClient({ transport: scripted(), headers: { Authorization: "x" } })).toThrow(
      "configure credentials on the client",
    );
  });
});

describe("warnings", () => {
  const warning = (text: string): Answer => ({ headers: { warning: text }, body: object });
  it("go to the call's handler, or by default to the client's", async () => {
    const seen: string[] = [];
    const client = createClient({
      transport: scripted(warning('299 - "one"'), warning('299 - "two"')),
      onWarning: (w) => seen.push(`client ${w.text}`),
    });
    await mapsOf(client).get("a");
    await mapsOf(client).get("a", { onWarning: (w) => seen.push(`call ${w.text}`) });
    expect(seen).toEqual(["client one", "call two"]);
  });

  it("are reported for error responses too", async () => {
    const seen: string[] = [];
    const client = createClient({
      transport: scripted({ ...warning('299 - "deprecated"'), status: 404 }),
      onWarning: (w) => seen.push(w.text),
    });
    await mapsOf(client)
      .get("a")
      .catch(() => undefined);
    expect(seen).toEqual(["deprecated"]);
  });

  it("are logged once per text by default", async () => {
    const log = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const client = createClient({
      transport: scripted(warning('299 - "same"'), warning('299 - "same", 299 - "other"')),
    });
    await mapsOf(client).get("a");
    await mapsOf(client).get("a");
    expect(log.mock.calls).toEqual([["kubernetes warning: same"], ["kubernetes warning: other"]]);
    log.mockRestore();
  });

  it("are deduplicated with a bounded memory", () => {
    let count = 0;
    const handler = dedupeWarnings(() => count++);
    for (let i = 0; i < 1001; i++) handler({ code: 299, agent: "-", text: String(i) });
    handler({ code: 299, agent: "-", text: "1000" });
    handler({ code: 299, agent: "-", text: "0" });
    expect(count).toBe(1002);
  });

  it.each([
    ['299 - "a"', ["a"]],
    ['299 - "a, b",299 kube "c \\"d\\" \\\\"', ["a, b", 'c "d" \\']],
    ['299 - "a" "Wed, 21 Oct 2015 07:28:00 GMT", 199 x:80 "b"', ["a", "b"]],
    ["nonsense", []],
    ['299 - "unterminated', []],
    ["", []],
  ])("parseWarnings(%j) returns %j", (header, texts) =>
    expect(parseWarnings(header).map((w) => w.text)).toEqual(texts),
  );
});
