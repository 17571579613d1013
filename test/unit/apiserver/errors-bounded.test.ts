import { afterAll, describe, expect, it } from "vitest";
import { invalidField, invalidStatus } from "../../../src/apiserver/errors/field-error.js";
import { boundText } from "../../../src/apiserver/internal/go-text.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import type { Status } from "../../../src/meta/status.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const long = "a".repeat(900_000);
const maps = "/api/v1/namespaces/default/configmaps";

describe("errors about long input", () => {
  // A kube-apiserver repeats each of these whole, up to eight times.
  it.each<[string, string, string, object | undefined, string]>([
    ["a name", "POST", maps, { metadata: { name: long } }, "must be no more than 253"],
    ["a label", "POST", maps, { metadata: { name: "a", labels: { [long]: "" } } }, "name part must be no more than 63"],
    ["a value of a label", "POST", maps, { metadata: { name: "a", labels: { a: long } } }, "must be no more than 63"],
    ["a key", "POST", maps, { metadata: { name: "a" }, data: { [`${long}/`]: "" } }, "a valid config key must"],
    ["a finalizer", "POST", maps, { metadata: { name: "a", finalizers: [long] } }, "name part must be"],
    ["a kind", "POST", maps, { kind: long, apiVersion: "v1", metadata: { name: "a" } }, "no kind"],
    ["an API version", "POST", maps, { kind: "ConfigMap", apiVersion: long, metadata: { name: "a" } }, "no kind"],
    ["an unknown field", "POST", `${maps}?fieldValidation=Strict`, { metadata: { name: "a" }, [long]: 1 }, "unknown"],
    ["a time", "POST", maps, { metadata: { name: "a", creationTimestamp: long } }, "cannot parse"],
    ["an enum", "POST", maps.replace("configmaps", "services"), service(long), "supported values"],
    ["a path", "GET", `${maps}/${long}`, undefined, "not found"],
    ["a label selector", "GET", `${maps}?labelSelector=${long}(`, undefined, "unable to parse requirement"],
    ["a field selector", "GET", `${maps}?fieldSelector=${long}%3Db`, undefined, "aaaa"],
    ["a limit", "GET", `${maps}?limit=${long}`, undefined, "strconv.ParseInt"],
    ["a resource version", "GET", `${maps}?resourceVersion=${long}`, undefined, "invalid resource version"],
    ["dryRun", "POST", `${maps}?dryRun=${long}`, { metadata: { name: "a" } }, "supported values"],
  ])("show the start of %s", async (_, method, path, body, message) => {
    const status = await failure(method, path, body);
    expect(status.message).toContain(message);
    expect(status.message).toMatch(/a{1000}…(?: \(9000\d\d characters in total\)|: supported)|a{60000}/);
  });

  it("show the first of very many causes", async () => {
    const labels = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`_${index}`, "_"]));
    const status = await failure("POST", maps, { metadata: { name: "a", labels } });
    expect(status.details?.causes).toHaveLength(1_000);
  });

  const many = (value: unknown): unknown[] => Array.from({ length: 100_000 }, () => value);
  const container = { name: "c", image: "i" };
  const pods = maps.replace("configmaps", "pods");
  const definition = (version: object): object => ({
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } }, ...version },
      ],
    },
  });
  it.each<[string, string, object]>([
    [
      "columns of a definition",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definition({ additionalPrinterColumns: many({}) }),
    ],
    [
      "ports of a Service",
      maps.replace("configmaps", "services"),
      { metadata: { name: "a" }, spec: { ports: many({}) } },
    ],
    [
      "tolerations with an unknown operator",
      pods,
      { metadata: { name: "a" }, spec: { containers: [container], tolerations: many({ operator: "x" }) } },
    ],
    [
      "variables without a name",
      pods,
      { metadata: { name: "a" }, spec: { containers: [{ ...container, env: many({ name: "" }) }] } },
    ],
  ])("show the first of 100,000 wrong %s, with 422", async (_, path, body) => {
    const status = await failure("POST", path, body);
    expect(status).toMatchObject({ code: 422, reason: "Invalid" });
    expect(status.details?.causes).toHaveLength(1_000);
  });

  it("don't split surrogate pairs", () => {
    expect(boundText("a\u{1f600}b", 2)).toBe("a… (4 characters in total)");
    expect(boundText("a\u{1f600}b", 3)).toBe("a\u{1f600}… (4 characters in total)");
    expect(boundText("ab", 2)).toBe("ab");
  });
});

function service(type: string): object {
  return { metadata: { name: "a" }, spec: { type, ports: [{ port: 80 }] } };
}

async function failure(method: string, path: string, body: object | undefined): Promise<Status> {
  const request = new Request(`http://server${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await (await server.handle(request)).text();
  expect(text.length).toBeLessThan(600_000);
  const status = JSON.parse(text) as Status;
  expect(status).toMatchObject({ kind: "Status", status: "Failure" });
  return status;
}

it("errors that show the same long list read its start once", () => {
  let reads = 0;
  const list = Array.from({ length: 20_000 }, () => ({
    get a() {
      reads++;
      return "b";
    },
  }));
  const errors = Array.from({ length: 500 }, () => invalidField("spec.list", list, "is too long"));
  const { details } = invalidStatus({ group: "", kind: "Pod" }, "a", errors);
  expect(details?.causes?.[0]?.message).toMatch(/^Invalid value: \[\{"a":"b"\},.*….*: is too long$/);
  expect(details?.causes).toHaveLength(500);
  expect(reads).toBeLessThan(4_096);
});
