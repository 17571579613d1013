import { describe, expect, it } from "vitest";
import { ProtocolError } from "../../../src/errors/errors.js";
import type { ConfigMap } from "../../../src/kinds/core/v1.js";
import { type AdmissionHandler, reviewAdmission } from "../../../src/webhook/admission.js";
import { reviewConversion } from "../../../src/webhook/conversion.js";
import { admissionWebhook, conversionWebhook } from "../../../src/webhook/serve.js";

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

describe("an admission", () => {
  it.each<[string, object, AdmissionHandler<ConfigMap>, object]>([
    ["without a decision goes on", {}, () => undefined, { uid: "u", allowed: true }],
    [
      "with an object that is the same has no patch",
      {},
      ({ object }) => ({ object: object! }),
      { uid: "u", allowed: true },
    ],
    [
      "may warn and annotate",
      {},
      () => ({ warnings: ["w"], auditAnnotations: { k: "v" } }),
      { uid: "u", allowed: true, warnings: ["w"], auditAnnotations: { k: "v" } },
    ],
    [
      "is denied with 403",
      {},
      () => ({ allowed: false, message: "no" }),
      { uid: "u", allowed: false, status: { status: "Failure", code: 403, message: "no" } },
    ],
    [
      "is denied as the webhook says",
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
      "of a delete goes on",
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
  ])("is patched to %s", async (_, decide) => {
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

  it("cannot change what is deleted, and tells what the decision throws", async () => {
    await expect(
      reviewAdmission(review({ operation: "DELETE", object: null, oldObject: map() }), () => ({ object: map() })),
    ).rejects.toThrow("the handler returned an object, but a DELETE request has none to change");
    await expect(reviewAdmission(review({}), () => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
  });
});

describe("a conversion", () => {
  const conversion = (objects: unknown, apiVersion = "apiextensions.k8s.io/v1"): object => ({
    apiVersion,
    kind: "ConversionReview",
    request: { uid: "u", desiredAPIVersion: "x/v2", objects },
  });

  it("converts in order, and leaves what has the version", async () => {
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

  it("that fails tells why and gives no objects", async () => {
    const answer = await reviewConversion(conversion([{ apiVersion: "x/v1" }]), () => {
      throw new Error("no way");
    });
    expect(answer.response).toEqual({
      uid: "u",
      convertedObjects: [],
      result: { status: "Failure", message: "no way" },
    });
  });

  it.each([[undefined], [{}], ["a"], [[null]], [["a"]]])("of %j is refused", async (objects) => {
    await expect(reviewConversion(conversion(objects), (object) => object)).rejects.toThrow(ProtocolError);
  });
});

describe("a webhook", () => {
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
    ["another type", post("{}", { "content-type": "text/plain" }), 415, /application\/json/],
    ["a type that only begins alike", post("{}", { "content-type": "application/jsonx" }), 415, /application\/json/],
    ["no JSON", post("{"), 400, /not valid JSON/],
    ["nothing", post(""), 400, /not valid JSON/],
    ["null", post("null"), 400, /no kind/],
    ["a list", post("[]"), 400, /expected AdmissionReview/],
    ["another kind", post(JSON.stringify({ ...review({}), kind: "ConversionReview" })), 400, /"ConversionReview"/],
    ["another version", post(JSON.stringify(review({}, "admission.k8s.io/v2"))), 400, /admission.k8s.io\/v2/],
    ["no request", post(JSON.stringify({ ...review({}), request: null })), 400, /request.uid is required/],
    ["no uid", post(JSON.stringify(review({ uid: 7 }))), 400, /uid/],
    ["an unknown operation", post(JSON.stringify(review({ operation: "PATCH" }))), 400, /"PATCH"/],
    ["no operation", post(JSON.stringify(review({ operation: undefined }))), 400, /unknown operation/],
    ["a body that is too long", post(JSON.stringify(review({ more: "x".repeat(10_000) }))), 413, /10000 bytes/],
  ])("refuses %s", async (_, request, status, text) => {
    const [code, body] = await call(request);
    expect(code).toBe(status);
    expect(body).toMatch(text);
  });

  it("leaves what goes wrong in the decision to the server around it, a failed request of its own too", async () => {
    await expect(
      admissionWebhook(() => {
        throw new ProtocolError("of another request");
      })(post(JSON.stringify(review({})))),
    ).rejects.toThrow("of another request");
  });

  it("refuses a conversion of nothing, too", async () => {
    expect((await conversionWebhook((object) => object)(post(JSON.stringify(review({}))))).status).toBe(400);
  });
});
