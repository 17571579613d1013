import { createElement, type ReactElement } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { useAccess } from "../../../src/react/use-access.js";
import { useTable } from "../../../src/react/use-table.js";
import { createLiveTable } from "../../../src/stores/live-table.js";
import { openApp, within } from "./app.js";

/** True while the code that the tests load on demand is missing, such as after a deployment of another version. */
const missing = vi.hoisted(() => ({ now: false }));

async function load<M>(importOriginal: () => Promise<M>): Promise<M> {
  if (missing.now) throw new TypeError("the module is gone");
  return importOriginal();
}
vi.mock(import("../../../src/stores/ordered-rows.js"), (original) => load(original));
vi.mock(import("../../../src/stores/access-cache.js"), (original) => load(original));

afterEach(() => {
  missing.now = false;
});

it("a table whose code can't be loaded ends with the error, and the next table loads it again", async () => {
  await using app = await openApp();
  await app.maps.create({ metadata: { name: "a" } });
  const Table = (): ReactElement => {
    const { rows, isSynced, status } = useTable(ConfigMap, { namespace: "default", limit: 1, filter: "a" });
    const text = isSynced ? rows.map(({ cells }) => cells[0]).join() : status.error instanceof Error && status.type;
    return createElement("p", null, text);
  };
  missing.now = true;
  await app.page.render(within(app.stores, createElement(Table)));
  await app.shows("closed");
  const table = createLiveTable(app.stores, ConfigMap, { namespace: "default" });
  const error: unknown = await table.ready().catch((thrown: unknown) => thrown);
  expect(table.getSnapshot().status).toEqual({ type: "closed", error });
  expect(error).toBeInstanceOf(Error);
  missing.now = false;
  await app.page.render(within(app.stores));
  await app.page.render(within(app.stores, createElement(Table)));
  await app.shows("a");
});

it("useAccess reports that its code can't be loaded, and the next component loads it again", async () => {
  await using app = await openApp();
  const Delete = (): ReactElement => {
    const { allowed, error } = useAccess("delete", ConfigMap, { namespace: "default" });
    return createElement("p", null, error instanceof Error ? `failed ${allowed}` : String(allowed));
  };
  missing.now = true;
  await app.page.render(within(app.stores, createElement(Delete)));
  await app.shows("failed undefined");
  missing.now = false;
  await app.page.render(within(app.stores));
  await app.page.render(within(app.stores, createElement(Delete)));
  await app.shows("true");
});
