import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { retryOnConflict } from "../../../src/client/resource/retry-on-conflict.js";
import { StatusError } from "../../../src/errors/status-error.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { ConfigMap, Pod } from "../../../src/kinds/core/v1.js";
import { createOrPatch, createOrUpdate } from "../../../src/objects/create-or-update.js";
import { hasFinalizer, isBeingDeleted, withFinalizer, withoutFinalizer } from "../../../src/objects/finalizers.js";
import {
  getControllerOwner,
  isOwnedBy,
  ownerReference,
  withController,
  withOwner,
  withoutOwner,
} from "../../../src/objects/owner-references.js";
import { deleteCollectionPages } from "../../../src/operations/delete-collection-pages.js";
import { evict, isBlockedByDisruptionBudget } from "../../../src/operations/evict.js";
import { scale } from "../../../src/operations/scale.js";
import { fakeClock } from "./fake-clock.js";
import { type Answer, bodyOf, scripted } from "./scripted-transport.js";

const map = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "x", uid: "u", resourceVersion: "7" },
  data: { k: "1" },
} as const;
const fail = (code: number, reason: string, details: object = {}): Answer => ({
  status: code,
  body: { kind: "Status", code, reason, details },
});
const setup = (...answers: Answer[]) => {
  const transport = scripted(...answers);
  const client = createClient({ transport, retry: false });
  return {
    transport,
    client,
    maps: client.resource(ConfigMap).namespace("x"),
    lines: () => transport.requests.map((r) => r.method),
  };
};

describe("retryOnConflict", () => {
  it("backs off exponentially and throws the last conflict", async () => {
    const clock = fakeClock({ auto: true });
    let attempts = 0;
    const conflict = new StatusError({ code: 409, reason: "Conflict" });
    await expect(
      retryOnConflict(
        () => {
          attempts++;
          return Promise.reject(conflict);
        },
        { clock, random: () => 0 },
      ),
    ).rejects.toBe(conflict);
    expect([attempts, clock.waits]).toEqual([5, [10, 20, 40, 80]]);
  });

  it.each([new StatusError({ code: 409, reason: "AlreadyExists" }), new StatusError({ code: 500 }), new Error("x")])(
    "doesn't retry %s",
    async (error) => {
      let attempts = 0;
      await expect(
        retryOnConflict(() => {
          attempts++;
          return Promise.reject(error);
        }),
      ).rejects.toBe(error);
      expect(attempts).toBe(1);
    },
  );

  it("rejects with the signal's reason on abort", async () => {
    const controller = new AbortController();
    const call = retryOnConflict(() => Promise.reject(new StatusError({ code: 409, reason: "Conflict" })), {
      clock: fakeClock(),
      signal: controller.signal,
    }).catch((e: unknown) => e);
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort("why");
    expect(await call).toBe("why");
  });
});

describe("createOrUpdate and createOrPatch", () => {
  it("create a missing object, write a difference, and skip an unchanged object", async () => {
    const { maps, lines, transport } = setup(
      fail(404, "NotFound"),
      { status: 201, body: map },
      { body: map },
      { body: map },
      { body: map },
      { body: map },
      { body: map },
    );
    const to =
      (k: string) =>
      (object: ConfigMap): void => {
        object.data = { k };
      };
    expect((await createOrUpdate(maps, "a", to("1"))).outcome).toBe("created");
    expect(bodyOf(transport.requests[1])).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { k: "1" },
    });
    expect((await createOrUpdate(maps, "a", to("1"))).outcome).toBe("unchanged");
    expect((await createOrUpdate(maps, "a", to("2"))).outcome).toBe("updated");
    expect((await createOrPatch(maps, "a", to("2"))).outcome).toBe("updated");
    expect(bodyOf(transport.requests[6])).toEqual({ data: { k: "2" } });
    expect(lines()).toEqual(["GET", "POST", "GET", "GET", "PUT", "GET", "PATCH"]);
  });

  it("read an object that was created concurrently and retry after a conflict", async () => {
    const { maps, lines } = setup(
      fail(404, "NotFound"),
      fail(409, "AlreadyExists"),
      { body: map },
      fail(409, "Conflict"),
      { body: map },
      { body: map },
    );
    expect(
      (
        await createOrUpdate(maps, "a", (o) => {
          o.data = { k: "9" };
        })
      ).outcome,
    ).toBe("updated");
    expect(lines()).toEqual(["GET", "POST", "GET", "PUT", "GET", "PUT"]);
  });

  it("reject a change that renames the object", async () => {
    const { maps } = setup({ body: map });
    await expect(createOrUpdate(maps, "a", (o) => ({ ...o, metadata: { name: "b" } }))).rejects.toThrow(
      'must not rename "a"',
    );
  });
});

describe("evict", () => {
  const held = fail(429, "TooManyRequests", { causes: [{ reason: "DisruptionBudget", message: "needs 1" }] });
  const heldFor = fail(429, "TooManyRequests", { retryAfterSeconds: 10, causes: [{ reason: "DisruptionBudget" }] });
  const pods = (...answers: Answer[]) => {
    const s = setup(...answers);
    return { ...s, pods: s.client.resource(Pod).namespace("x") };
  };

  it("throws when a budget blocks the eviction, or retries within patienceMs", async () => {
    expect(await evict(pods(held).pods, "a").catch(isBlockedByDisruptionBudget)).toBe(true);
    const clock = fakeClock({ auto: true });
    const s = pods(held, heldFor, { status: 201, body: { kind: "Status", status: "Success" } });
    expect(
      await evict(s.pods, "a", { patienceMs: 60_000, clock, gracePeriodSeconds: 3, preconditions: { uid: "u" } }),
    ).toBe(true);
    expect(clock.waits).toEqual([5000, 10_000]);
    expect(bodyOf(s.transport.requests[0])).toEqual({
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "a" },
      deleteOptions: { gracePeriodSeconds: 3, preconditions: { uid: "u" } },
    });
  });

  it("throws when patienceMs is exceeded", async () => {
    const clock = fakeClock({ auto: true });
    expect(
      await evict(pods(held, held, held).pods, "a", { patienceMs: 11_000, clock }).catch(isBlockedByDisruptionBudget),
    ).toBe(true);
    expect(clock.waits).toEqual([5000, 5000]);
  });

  it("returns false if the pod is gone and doesn't retry other errors", async () => {
    expect(await evict(pods(fail(404, "NotFound", { name: "a" })).pods, "a")).toBe(false);
    await expect(evict(pods(fail(500, "InternalError")).pods, "a", { patienceMs: 1000 })).rejects.toMatchObject({
      code: 500,
    });
  });
});

it.each([-1, 1.5, Number.NaN])("scale rejects %j replicas", async (replicas) => {
  const { client, transport } = setup();
  await expect(scale(client.resource(Deployment).namespace("x"), "a", replicas)).rejects.toThrow(RangeError);
  expect(transport.requests).toHaveLength(0);
});

it("deleteCollectionPages deletes in pages and starts over after an expired token", async () => {
  const page = (names: string[], token?: string): Answer => ({
    body: {
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { ...(token !== undefined && { continue: token }) },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });
  const { maps, transport } = setup(page(["a"], "t1"), fail(410, "Expired"), page(["b"], "t2"), page(["c"]));
  const names: unknown[] = [];
  for await (const p of deleteCollectionPages(maps, { limit: 1, labelSelector: "x", propagationPolicy: "Orphan" }))
    names.push(p.items[0]?.metadata?.name);
  expect(names).toEqual(["a", "b", "c"]);
  expect(transport.requests.map((r) => /continue=(\w+)/.exec(r.path)?.[1])).toEqual([undefined, "t1", undefined, "t2"]);
  const broken = setup(fail(410, "Expired"));
  await expect(deleteCollectionPages(broken.maps).next()).rejects.toMatchObject({ code: 410 });
});

describe("helpers for finalizers and owner references", () => {
  const frozen = Object.freeze({
    metadata: Object.freeze({ name: "a", namespace: "x", finalizers: Object.freeze(["f"]) as string[] }),
  });
  it("change finalizers on copies", () => {
    expect(withFinalizer(frozen, "f")).toBe(frozen);
    expect(withFinalizer(frozen, "g").metadata.finalizers).toEqual(["f", "g"]);
    expect(withoutFinalizer(frozen, "g")).toBe(frozen);
    expect(withoutFinalizer(frozen, "f").metadata.finalizers).toEqual([]);
    expect([
      hasFinalizer(frozen, "f"),
      hasFinalizer({}, "f"),
      isBeingDeleted(frozen),
      isBeingDeleted({ metadata: { deletionTimestamp: null } }),
      isBeingDeleted({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ]).toEqual([true, false, false, false, true]);
  });

  it("identify owners by UID", () => {
    const owned = withController(frozen, map);
    expect(getControllerOwner(owned)).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "a",
      uid: "u",
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(withOwner(owned, map).metadata).toMatchObject({ ownerReferences: [{ uid: "u" }] });
    expect(withOwner(owned, map).metadata).not.toMatchObject({ ownerReferences: [{ controller: true }] });
    expect([isOwnedBy(owned, map), isOwnedBy(frozen, map)]).toEqual([true, false]);
    expect((withoutOwner(owned, map) as ConfigMap).metadata?.ownerReferences).toEqual([]);
    expect(withoutOwner(frozen, map)).toBe(frozen);
    expect(ownerReference(map, { blockOwnerDeletion: true })).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "a",
      uid: "u",
      blockOwnerDeletion: true,
    });
  });

  it.each([
    [() => ownerReference({ ...map, kind: "" }), "must have apiVersion, kind"],
    [() => ownerReference({ apiVersion: "v1", kind: "X", metadata: { name: "a" } }), "metadata.uid"],
    [
      () => withOwner({ metadata: { name: "b", namespace: "y" } }, map),
      'an object in "y" cannot be owned by ConfigMap "a" in "x"',
    ],
    [() => withOwner({ metadata: { name: "b" } }, map), "an object without a namespace cannot be owned"],
    [
      () => withController(withController(frozen, map), { ...map, metadata: { ...map.metadata, uid: "other" } }),
      'is already controlled by ConfigMap "a"',
    ],
  ])("reject %s", (act, message) => expect(act).toThrow(message));
});

it("createClient rejects a User-Agent with control characters", () =>
  expect(() => createClient({ transport: scripted(), userAgent: "a\r\nb: c" })).toThrow("control characters"));
