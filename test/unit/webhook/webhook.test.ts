import { describe, expect, it } from "vitest";
import { ProtocolError } from "../../../src/errors/errors.js";
import type { ConfigMap } from "../../../src/kinds/core/v1.js";
import { type AdmissionHandler, reviewAdmission } from "../../../src/webhook/admission.js";
import { reviewToken, type TokenHandler } from "../../../src/webhook/authentication.js";
import { reviewConversion } from "../../../src/webhook/conversion.js";
import { admissionWebhook, authenticationWebhook, conversionWebhook } from "../../../src/webhook/serve.js";

const map = (data?: Record<string, string>): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  ...(data && { data }),
});
const review = (request: object, apiVersion = "admission.k8s.io/v1"): object => ({
  apiVersion,
  kind: "AdmissionReview",
  request: {
    uid: "u",
    operation: "CREATE",
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    userInfo: { username: "alice" },
    object: map({ a: "1" }),
    oldObject: null,
    ...request,
  },
});
const patchOf = (answer: { response?: { patch?: string } }): unknown =>
  JSON.parse(Buffer.from(answer.response!.patch!, "base64").toString("utf8"));

describe("admission review", () => {
  it.each<[string, object, AdmissionHandler<ConfigMap>, object]>([
    ["without a decision is admitted", {}, () => undefined, { uid: "u", allowed: true }],
    ["with an unchanged object has no patch", {}, ({ object }) => ({ object: object! }), { uid: "u", allowed: true }],
    [
      "may return warnings and annotations",
      {},
      () => ({ warnings: ["w"], auditAnnotations: { k: "v" } }),
      { uid: "u", allowed: true, warnings: ["w"], auditAnnotations: { k: "v" } },
    ],
    [
      "is denied with 403 Forbidden",
      {},
      () => ({ allowed: false, message: "no" }),
      { uid: "u", allowed: false, status: { status: "Failure", code: 403, reason: "Forbidden", message: "no" } },
    ],
    [
      "is denied with another code without a reason",
      {},
      () => ({ allowed: false, message: "no", code: 422 }),
      { uid: "u", allowed: false, status: { status: "Failure", code: 422, message: "no" } },
    ],
    [
      "is denied with the handler's code and reason",
      {},
      () => Promise.resolve({ allowed: false as const, message: "no", code: 409, reason: "Conflict", warnings: ["w"] }),
      {
        uid: "u",
        allowed: false,
        status: { status: "Failure", code: 409, reason: "Conflict", message: "no" },
        warnings: ["w"],
      },
    ],
    [
      "of a delete is admitted",
      { operation: "DELETE", object: null, oldObject: map() },
      ({ operation, oldObject }) =>
        operation === "DELETE" && oldObject.metadata?.name === "a" ? {} : { allowed: false, message: "?" },
      { uid: "u", allowed: true },
    ],
  ])("%s", async (_, request, decide, response) => {
    expect(await reviewAdmission(review(request), decide)).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response,
    });
  });

  it.each<[string, AdmissionHandler<ConfigMap>]>([
    ["a new object", ({ object }) => ({ object: { ...object!, data: { b: "ü✓" } } })],
    [
      "the same object, changed in place",
      ({ object }) => {
        object!.data = { b: "ü✓" };
        return { object: object! };
      },
    ],
  ])("is patched when the handler returns %s", async (_, decide) => {
    const answer = await reviewAdmission(review({}, "admission.k8s.io/v1beta1"), decide);
    expect(answer).toMatchObject({
      apiVersion: "admission.k8s.io/v1beta1",
      response: { allowed: true, patchType: "JSONPatch" },
    });
    expect(patchOf(answer)).toEqual([
      { op: "remove", path: "/data/a" },
      { op: "add", path: "/data/b", value: "ü✓" },
    ]);
  });

  it.each([
    [false],
    [0],
    [null],
    ["denied"],
    [[]],
    [{ allowed: "false" }],
    [{ allowed: null }],
    [{ allowed: 0 }],
    [{ allow: false }],
  ])("fails instead of admitting if the handler returns %j", async (decision) => {
    const decide = (() => decision) as unknown as AdmissionHandler<ConfigMap>;
    await expect(reviewAdmission(review({}), decide)).rejects.toThrow(TypeError);
  });

  it("rejects a patch for a delete, and rethrows the handler's error", async () => {
    await expect(
      reviewAdmission(review({ operation: "DELETE", object: null, oldObject: map() }), () => ({ object: map() })),
    ).rejects.toThrow("the handler returned an object, but a DELETE request has none to change");
    await expect(reviewAdmission(review({}), () => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
  });
});

describe("conversion review", () => {
  const conversion = (objects: unknown, apiVersion = "apiextensions.k8s.io/v1"): object => ({
    apiVersion,
    kind: "ConversionReview",
    request: { uid: "u", desiredAPIVersion: "x/v2", objects },
  });

  it("converts in order and skips objects that have the version", async () => {
    const objects = [
      { apiVersion: "x/v1", n: 1 },
      { apiVersion: "x/v2", n: 2 },
      { apiVersion: "x/v1", n: 3 },
    ];
    const answer = await reviewConversion(conversion(objects), async (object, desired) => {
      if ((object as { n?: number }).n === 1) await new Promise((resolve) => setImmediate(resolve));
      return { ...object, wanted: desired };
    });
    expect(answer).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u",
        convertedObjects: [
          { apiVersion: "x/v2", n: 1, wanted: "x/v2" },
          { apiVersion: "x/v2", n: 2 },
          { apiVersion: "x/v2", n: 3, wanted: "x/v2" },
        ],
        result: { status: "Success" },
      },
    });
  });

  it("reports a failed conversion and returns no objects", async () => {
    const answer = await reviewConversion(conversion([{ apiVersion: "x/v1" }]), () => {
      throw new Error("no way");
    });
    expect(answer.response).toEqual({
      uid: "u",
      convertedObjects: [],
      result: { status: "Failure", message: "no way" },
    });
  });

  it.each([[undefined], [{}], ["a"], [[null]], [["a"]]])("of %j is rejected", async (objects) => {
    await expect(reviewConversion(conversion(objects), (object) => object)).rejects.toThrow(ProtocolError);
  });
});

describe("webhook handler", () => {
  const post = (body: string, headers: Record<string, string> = { "content-type": "application/json" }): Request =>
    new Request("https://hook.example/x?timeout=10s", { method: "POST", headers, body });
  const call = async (request: Request, maxBodyBytes = 10_000): Promise<[number, string]> => {
    const response = await admissionWebhook(() => undefined, { maxBodyBytes })(request);
    return [response.status, await response.text()];
  };

  it("answers a review with a review", async () => {
    const response = await admissionWebhook(() => undefined)(
      post(JSON.stringify(review({})), { "content-type": "application/json; charset=utf-8" }),
    );
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toMatchObject({ kind: "AdmissionReview", response: { uid: "u", allowed: true } });
  });

  it.each<[string, Request, number, RegExp]>([
    ["another method", new Request("https://hook.example/"), 405, /POST/],
    ["another content type", post("{}", { "content-type": "text/plain" }), 415, /application\/json/],
    [
      "a content type with the same prefix",
      post("{}", { "content-type": "application/jsonx" }),
      415,
      /application\/json/,
    ],
    ["invalid JSON", post("{"), 400, /not valid JSON/],
    ["an empty body", post(""), 400, /not valid JSON/],
    ["null", post("null"), 400, /no kind/],
    ["a list", post("[]"), 400, /expected AdmissionReview/],
    ["another kind", post(JSON.stringify({ ...review({}), kind: "ConversionReview" })), 400, /"ConversionReview"/],
    ["another version", post(JSON.stringify(review({}, "admission.k8s.io/v2"))), 400, /admission.k8s.io\/v2/],
    ["a missing request", post(JSON.stringify({ ...review({}), request: null })), 400, /request.uid is required/],
    ["an invalid uid", post(JSON.stringify(review({ uid: 7 }))), 400, /uid/],
    ["an unknown operation", post(JSON.stringify(review({ operation: "PATCH" }))), 400, /"PATCH"/],
    ["a missing operation", post(JSON.stringify(review({ operation: undefined }))), 400, /unknown operation/],
    ["a body that is too large", post(JSON.stringify(review({ more: "x".repeat(10_000) }))), 413, /10000 bytes/],
  ])("rejects %s", async (_, request, status, text) => {
    const [code, body] = await call(request);
    expect(code).toBe(status);
    expect(body).toMatch(text);
  });

  it("rejects with the decision's error, even if that is a ProtocolError", async () => {
    await expect(
      admissionWebhook(() => {
        throw new ProtocolError("of another request");
      })(post(JSON.stringify(review({})))),
    ).rejects.toThrow("of another request");
  });

  it("rejects an admission review sent to a conversion webhook", async () => {
    expect((await conversionWebhook((object) => object)(post(JSON.stringify(review({}))))).status).toBe(400);
  });
});

describe("token review", () => {
  const review = (spec: object, apiVersion = "authentication.k8s.io/v1"): object => ({
    apiVersion,
    kind: "TokenReview",
    spec,
  });

  it.each<[string, TokenHandler, object]>([
    ["of an unknown token", () => undefined, { authenticated: false }],
    [
      "of a user's token",
      ({ audiences }) => ({ username: "jane", groups: ["dev"], extra: { a: ["b"] }, audiences: audiences! }),
      { authenticated: true, user: { username: "jane", groups: ["dev"], extra: { a: ["b"] } }, audiences: ["api"] },
    ],
    [
      "that fails hides the token in the error",
      ({ token }) => Promise.reject(new Error(`cannot look up ${token}`)),
      { authenticated: false, error: "cannot look up ***" },
    ],
  ])("%s", async (_, authenticate, status) => {
    const request = review({ token: "s3cret", audiences: ["api"] }, "authentication.k8s.io/v1beta1");
    expect(await reviewToken(request, authenticate)).toEqual({
      apiVersion: "authentication.k8s.io/v1beta1",
      kind: "TokenReview",
      status,
    });
  });

  it.each([true, null, {}, { username: "" }])("fails if the handler returns %j", async (user) => {
    await expect(reviewToken(review({ token: "t" }), () => user as never)).rejects.toThrow(TypeError);
  });

  it.each([{}, review({}), review({ token: 1 }), review({ token: "t", audiences: [1] }), review({ token: "t" }, "v1")])(
    "rejects %j, which isn't a TokenReview",
    async (body) => {
      await expect(reviewToken(body, () => undefined)).rejects.toThrow(ProtocolError);
      const request = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      expect((await authenticationWebhook(() => undefined)(new Request("https://w/a", request))).status).toBe(400);
    },
  );
});
