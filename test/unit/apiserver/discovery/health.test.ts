import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

async function get(path: string): Promise<[number, string[]]> {
  const response = await server.handle(new Request(`http://server${path}`));
  return [response.status, (await response.text()).split("\n")];
}

describe("health endpoints", () => {
  it.each([
    ["/healthz", 200, "ok"],
    ["/readyz?exclude=ping", 200, "ok"],
    ["/livez/poststarthook/start-apiextensions-informers", 200, "ok"],
    ["/livez/loopback-serving-certificate", 200, "ok"],
    ["/readyz/loopback-serving-certificate", 404, "404 page not found"],
    ["/readyz/etcd-readiness", 200, "ok"],
    ["/livez/etcd-readiness", 404, "404 page not found"],
    ["/healthz/shutdown", 404, "404 page not found"],
  ])("%s answers %i %s", async (path, status, text) => {
    const [seen, lines] = await get(path);
    expect([seen, lines[0]]).toEqual([status, text]);
  });

  it.each([
    [
      "/healthz",
      ["[+]ping ok", "[+]autoregister-completion ok", "[+]poststarthook/bootstrap-controller ok"],
      ["[+]informer-sync ok", "[+]shutdown ok"],
    ],
    [
      "/livez",
      ["[+]etcd ok", "[+]poststarthook/scheduling/bootstrap-system-priority-classes ok"],
      ["[+]etcd-readiness ok", "[+]shutdown ok"],
    ],
    [
      "/readyz",
      ["[+]informer-sync ok", "[+]poststarthook/apiservice-openapi-controller ok", "[+]shutdown ok"],
      ["[+]loopback-serving-certificate ok"],
    ],
  ])("%s?verbose lists its checks", async (path, present, absent) => {
    const [status, lines] = await get(`${path}?verbose=1`);
    expect(status).toBe(200);
    expect(lines).toEqual(expect.arrayContaining([...present, `${path.slice(1)} check passed`]));
    expect(lines.filter((line) => absent.includes(line))).toEqual([]);
  });

  it("report the result of each check as a metric in Prometheus' text format", async () => {
    const response = await server.handle(new Request("http://server/metrics/slis"));
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4;/);
    expect((await response.text()).split("\n")).toContain('kubernetes_healthcheck{name="ping",type="livez"} 1');
  });

  it("list excluded checks, and unknown ones", async () => {
    const [, lines] = await get("/readyz?verbose&exclude=ping&exclude=zed&exclude=foo");
    expect([lines[0], lines[1], lines.at(-3)]).toEqual([
      "[+]ping excluded: ok",
      "[+]log ok",
      'warn: some health checks cannot be excluded: no matches for "foo","zed"',
    ]);
  });
});
