import { expect, it } from "vitest";
import type { RawResponse } from "../../../src/client/call/raw.js";
import { createClient } from "../../../src/client/client.js";
import { isNotFound } from "../../../src/errors/predicates.js";
import type { StatusError } from "../../../src/errors/status-error.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import { scripted } from "./scripted-transport.js";

const failureOf = async (status: number, body: object): Promise<StatusError> =>
  (await createClient({ transport: scripted({ status, body }), retry: false })
    .resource(Pod)
    .namespace("x")
    .get("a")
    .catch((error: unknown) => error)) as StatusError;

it.each<[string, number, object, object]>([
  ["a success code", 404, { kind: "Status", code: 200, reason: "NotFound" }, { code: 404, reason: "NotFound" }],
  ["a code that isn't a number", 409, { kind: "Status", code: "x" }, { code: 409 }],
  ["a reason that isn't a string", 404, { kind: "Status", code: 404, reason: 5 }, { code: 404, reason: "NotFound" }],
  [
    "a message that isn't a string",
    500,
    { kind: "Status", code: 500, message: { a: 1 } },
    { code: 500, message: 'get pods "a" in "x": 500' },
  ],
  ["details that aren't an object", 422, { kind: "Status", code: 422, details: "x" }, { code: 422 }],
])("client normalizes an error Status with %s", async (_name, status, body, expected) => {
  const failure = await failureOf(status, body);
  expect(failure).toMatchObject({ name: "StatusError", ...expected });
  if (status === 404) expect(isNotFound(failure)).toBe(true);
  expect(failure.details).toBeUndefined();
});

it("client drops invalid causes and retry delays from a Status", async () => {
  const body = {
    kind: "Status",
    code: 429,
    reason: "TooManyRequests",
    details: { name: "a", causes: [null, 1, { reason: "x" }], retryAfterSeconds: "soon" },
  };
  expect(await failureOf(429, body)).toMatchObject({
    code: 429,
    details: { name: "a", causes: [{ reason: "x" }] },
    retryAfterMs: undefined,
  });
  const again = createClient({
    transport: scripted(
      { status: 429, body: { ...body, details: { causes: {} } } },
      { body: { kind: "Pod", apiVersion: "v1" } },
    ),
    retry: { initialMs: 1 },
  });
  expect((await again.resource(Pod).namespace("x").get("a")).kind).toBe("Pod");
});

it.each<[string, object, object]>([
  ["a code that isn't a number", { code: "410", reason: "Expired" }, { code: 500, reason: "Expired" }],
  [
    "a message that isn't a string",
    { code: 410, reason: "Expired", message: [1] },
    { code: 410, message: "watch pods: 410 Expired" },
  ],
  [
    "details that aren't an object",
    { code: 429, reason: 7, details: "x" },
    { code: 429, reason: "TooManyRequests", details: undefined },
  ],
  [
    "a bearer token in its message",
    { code: 401, message: "Bearer s3cret-token-1" },
    { message: "watch pods: 401: Bearer [redacted]" },
  ],
])("watch normalizes an ERROR event with %s", async (_name, object, expected) => {
  const client = createClient({
    transport: scripted({ body: `${JSON.stringify({ type: "ERROR", object: { kind: "Status", ...object } })}\n` }),
  });
  const failure = (await client
    .resource(Pod)
    .watch()
    .next()
    .catch((error: unknown) => error)) as StatusError;
  expect(failure).toMatchObject({ name: "StatusError", ...expected });
  expect(JSON.stringify(failure)).not.toContain("s3cret");
});

it.each<[string, object]>([
  [
    "with a code",
    { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired", message: "too old" },
  ],
  ["without a code", { kind: "Status", status: "Failure", message: "no" }],
])("client throws for a failed Status in a 200 response: %s", async (_name, body) => {
  const pods = createClient({
    transport: scripted({ status: 200, body }, { status: 200, body }, { status: 200, body }),
    retry: false,
  })
    .resource(Pod)
    .namespace("x");
  const expected = { name: "StatusError", code: (body as { code?: number }).code ?? 500 };
  await expect(pods.get("a")).rejects.toMatchObject(expected);
  await expect(pods.delete("a")).rejects.toMatchObject(expected);
  await expect(pods.deleteCollection()).rejects.toMatchObject(expected);
});

it("client redacts tokens that a Status repeats", async () => {
  const failure = await failureOf(403, {
    kind: "Status",
    code: 403,
    reason: "Forbidden",
    message: "no: Bearer s3cret-token-1 and eyJhbGciOi.s3cret.s3cret",
  });
  expect(`${failure.message} ${failure.stack!} ${JSON.stringify(failure)}`).not.toContain("s3cret");
  expect(failure.message).toContain("no: Bearer [redacted] and [redacted]");
});

it("client truncates an overlong name in error messages", async () => {
  const client = createClient({ transport: scripted({ status: 414, body: "" }), retry: false });
  const failure = (await client
    .resource(Pod)
    .namespace("x")
    .get("a".repeat(100_000))
    .catch((error: unknown) => error)) as Error;
  expect(failure.message.length).toBeLessThan(500);
});

it.each(["Host", "content-length", "Transfer-Encoding", "connection", "upgrade", "TE"])(
  "client rejects the header %s",
  async (name) => {
    await expect(
      createClient({ transport: scripted() })
        .resource(Pod)
        .list({ headers: { [name]: "1" } }),
    ).rejects.toThrow(`headers must not contain ${name.toLowerCase()}: the transport sets it for the connection`);
    expect(() => createClient({ transport: scripted(), headers: { [name]: "1" } })).toThrow(TypeError);
  },
);

it.each<[string, object]>([
  ["invalid HTTP method", { method: "GET / HTTP/1.1\r\nx" }],
  ["invalid HTTP method", { method: "get" }],
  ['invalid path "/ü": it must begin with "/", be encoded', { path: "/ü" }],
  ["header accept: the value must be", { accept: "a\r\nb: c" }],
  ["header content-type: the value must be", { method: "POST", body: "x", contentType: "a\r\nb: c" }],
])("client.request rejects with: %s", async (message, request) => {
  await expect(createClient({ transport: scripted() }).request({ path: "/x", ...request })).rejects.toThrow(message);
});

const drain = async ({ body }: RawResponse): Promise<void> => {
  for await (const _ of body);
};
it.each<[string, (response: RawResponse) => Promise<unknown>]>([
  ["body", drain],
  ["bytes", (response) => response.bytes()],
  ["text", (response) => response.text()],
  ["json", (response) => response.json()],
])("the body of client.request's response can't be read again after %s", async (_name, read) => {
  const client = createClient({ transport: scripted({ body: { a: 1 } }) });
  const response = await client.request({ path: "/x" });
  await read(response);
  for (const again of [drain, () => response.bytes(), () => response.text(), () => response.json()])
    await expect(again(response)).rejects.toThrow(new TypeError("GET /x: the body can be read only once"));
});
