import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import { objectOf, variants } from "../../../../differential/topics/fuzz.js";
import { kindFixtures } from "../../../../differential/topics/kinds.js";
import type { Answer, Recorded } from "../../../../golden/validation/causes.js";
import { causesOf, recordedKinds } from "../../../../golden/validation/causes.js";
import { withoutPlaces } from "../../../../support/outcome.js";

let server: ApiServer;
beforeAll(async () => {
  server = createApiServer({ controllers: false });
  await send("POST", "/api/v1/namespaces", { metadata: { name: "recorded" } });
});
afterAll(() => server.close());

async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body).replaceAll("${ns}", "recorded");
  const response = await server.handle(
    new Request(`http://server${path.replaceAll("${ns}", "recorded")}`, {
      method,
      ...(text === undefined
        ? {}
        : {
            body: text,
            headers: { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
          }),
    }),
  );
  return {
    status: response.status,
    warning: response.headers.get("warning") ?? undefined,
    json: await response.json(),
  };
}

/** Known differences in causes, with the reason. */
const unlike: Readonly<Record<string, readonly string[]>> = {
  // kube-apiserver allocates node ports before validation, so it finds them twice as well.
  services: ["create spec.ports=twice"],
};

/** Returns field and reason of the causes. */
function told(answer: Answer, messages: readonly string[]): readonly string[] | undefined {
  const causes = causesOf(answer, [...messages]);
  return causes === undefined
    ? [`status ${String(answer.status)}: ${JSON.stringify((answer.json as { message?: string }).message)}`]
    : withoutPlaces(causes);
}

describe("object with one invalid field gets kube-apiserver's causes", () => {
  it.each(
    kindFixtures.filter(({ name }) => recordedKinds.includes(name)).map((fixture) => [fixture.name, fixture] as const),
  )(
    "%s",
    async (name, fixture) => {
      const recorded = JSON.parse(
        readFileSync(new URL(`../../../../golden/validation/${name}.json`, import.meta.url), "utf8"),
      ) as Recorded;
      const object = objectOf(fixture, fixture.rich, "probe");
      const all = new Map(variants(object));
      const wanted: Record<string, unknown> = {};
      const found: Record<string, unknown> = {};
      for (const [variant, causes] of Object.entries(recorded.create)) {
        wanted[`create ${variant}`] = withoutPlaces(causes);
        found[`create ${variant}`] = told(
          await send("POST", `${fixture.collection}?dryRun=All`, all.get(variant)),
          recorded.messages,
        );
      }
      await send("POST", fixture.collection, object);
      const path = `${fixture.collection}/${(object["metadata"] as { name: string }).name}`;
      const { resourceVersion } = ((await send("GET", path)).json as { metadata: { resourceVersion: string } })
        .metadata;
      for (const [variant, causes] of Object.entries(recorded.update)) {
        const changed = all.get(variant)!;
        wanted[`update ${variant}`] = withoutPlaces(causes);
        found[`update ${variant}`] = told(
          await send("PUT", `${path}?dryRun=All`, {
            ...changed,
            metadata: { ...(changed["metadata"] as object), resourceVersion },
          }),
          recorded.messages,
        );
      }
      await send("PATCH", path, { metadata: { finalizers: null } });
      await send("DELETE", `${path}?gracePeriodSeconds=0`);
      const differing = Object.keys(wanted).filter(
        (key) => JSON.stringify(wanted[key]) !== JSON.stringify(found[key]) && unlike[name]?.includes(key) !== true,
      );
      const only = (from: Record<string, unknown>): unknown =>
        Object.fromEntries(differing.map((key) => [key, from[key]]));
      expect(only(found)).toEqual(only(wanted));
    },
    400_000,
  );
});
