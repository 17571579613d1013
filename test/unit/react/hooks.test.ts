import { act, createElement, type ReactElement, Suspense } from "react";
import { expect, it } from "vitest";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { useAccess } from "../../../src/react/use-access.js";
import { useInformer, useObject } from "../../../src/react/use-informer.js";
import { type MutationState, useMutation } from "../../../src/react/use-mutation.js";
import { useTable } from "../../../src/react/use-table.js";
import { shallowEqual } from "../../../src/stores/external-store.js";
import { settle } from "../../support/virtual-clock.js";
import { openApp, within } from "./app.js";

const target = { namespace: "default", name: "a" };

function Names(): ReactElement {
  const { items, isSynced } = useInformer(ConfigMap, { namespace: "default" });
  return createElement("p", null, isSynced ? items.map(({ metadata }) => metadata?.name).join(",") : "…");
}

it("useInformer shows a collection and its changes under Strict Mode, and unmounting ends the informer", async () => {
  await using app = await openApp(0);
  await app.page.render(within(app.stores, createElement(Names)));
  await app.shows("");
  await app.maps.create({ metadata: { name: "b" } });
  await app.shows("b");
  await app.maps.create({ metadata: { name: "a" } });
  await app.shows("a,b");
  await app.maps.delete("b");
  await app.shows("a");
  await app.page.render(within(app.stores));
  await act(settle);
  expect(app.stores.collection(ConfigMap, { namespace: "default" }).getSnapshot().status).toEqual({ type: "idle" });
});

it("a component renders once per change of its selection, not per change of the collection", async () => {
  await using app = await openApp();
  for (const name of ["a", "b"]) await app.maps.create({ metadata: { name }, data: { size: "1" } });
  const renders = { count: 0, object: 0, inline: 0 };
  const Count = (): ReactElement => {
    renders.count++;
    const count = useInformer(ConfigMap, { namespace: "default" }, ({ items }) => items.length);
    return createElement("i", null, `${count};`);
  };
  const Inline = (): ReactElement => {
    renders.inline++;
    const names = useInformer(ConfigMap, { namespace: "default", isEqual: shallowEqual }, ({ items }) =>
      items.map(({ metadata }) => metadata?.name),
    );
    return createElement("i", null, `${names.join()};`);
  };
  const Size = (): ReactElement => {
    renders.object++;
    const size = useObject(ConfigMap, target, {}, ({ object }) => object?.data?.["size"]);
    return createElement("i", null, size);
  };
  await app.page.render(within(app.stores, createElement(Count), createElement(Inline), createElement(Size)));
  await app.shows("2;a,b;1");
  // Strict Mode renders everything twice.
  expect(renders).toEqual({ count: 4, inline: 4, object: 4 });
  for (const size of ["2", "3", "4"]) {
    await app.maps.patch("b", { type: "merge", patch: { data: { size } } });
    for (let turn = 0; turn < 10; turn++) await act(settle);
  }
  expect(renders).toEqual({ count: 4, inline: 4, object: 4 });
  await app.maps.patch("a", { type: "merge", patch: { data: { size: "5" } } });
  await app.shows("2;a,b;5");
  expect(renders).toEqual({ count: 4, inline: 4, object: 6 });
});

it("useInformer with suspense shows the fallback until the collection is complete", async () => {
  await using app = await openApp();
  await app.maps.create({ metadata: { name: "a" } });
  const Waiting = (): ReactElement => {
    const { items } = useInformer(ConfigMap, { namespace: "default", suspense: true });
    return createElement("p", null, items.length);
  };
  let fallbacks = 0;
  const Fallback = (): string => `loading ${++fallbacks}`;
  const tree = createElement(Suspense, { fallback: createElement(Fallback) }, createElement(Waiting));
  await app.page.render(within(app.stores, tree));
  await app.shows("1");
  expect(fallbacks).toBeGreaterThan(0);
  await app.maps.create({ metadata: { name: "b" } });
  await app.shows("2");
});

it("useMutation shows a change at once, takes it back after a failure, and reports the error", async () => {
  await using app = await openApp();
  await app.maps.create({ metadata: { name: "a" }, data: { size: "1" } });
  const shown = new Set<string>();
  let mutation: MutationState<ConfigMap, string> | undefined;
  const Size = (): ReactElement => {
    const size = useObject(ConfigMap, target, {}, ({ object }) => object?.data?.["size"]);
    const state = useMutation(ConfigMap, {
      change: (map, next: string) => {
        map.data = { ...map.data, size: next };
      },
    });
    mutation = state;
    const text = `${size} ${state.isPending ? "pending" : (state.error as Error)?.name}`;
    shown.add(text);
    return createElement("p", null, text);
  };
  await app.page.render(within(app.stores, createElement(Size)));
  await app.shows("1 undefined");
  app.server.faults.add({ match: { verb: "update" }, effect: { type: "status", code: 403 }, times: 1 });
  await act(async () => mutation!.mutate(target, "2"));
  await app.shows("1 StatusError");
  expect(shown).toContain("2 pending");
  act(() => mutation!.reset());
  expect(app.page.text()).toBe("1 undefined");
  app.server.faults.add({ match: { verb: "update" }, effect: { type: "status", code: 409 }, times: 2 });
  await act(async () => mutation!.mutate(target, "3"));
  await app.shows("3 undefined");
  expect((await app.maps.get("a")).data).toEqual({ size: "3" });
  app.server.faults.add({ match: { verb: "update" }, effect: { type: "status", code: 403 }, times: 1 });
  await act(() => expect(mutation!.mutateAsync(target, "4")).rejects.toMatchObject({ code: 403 }));
  await app.shows("3 StatusError");
});

it("useTable shows a window of a table that follows changes, the view and the query", async () => {
  await using app = await openApp();
  for (const name of ["b", "a", "c"]) await app.maps.create({ metadata: { name } });
  const Table = (view: { descending: boolean; namespace: string; filter?: string }): ReactElement => {
    const { descending, namespace, filter } = view;
    const sortBy = { column: "Name", descending };
    const { rows, matching, isSynced } = useTable(ConfigMap, { namespace, filter, sortBy, limit: 2 });
    return createElement("p", null, isSynced ? `${rows.map(({ cells }) => cells[0]).join()} of ${matching}` : "…");
  };
  const show = (view: Parameters<typeof Table>[0]): Promise<void> =>
    app.page.render(within(app.stores, createElement(Table, view)));
  await show({ descending: false, namespace: "default" });
  await app.shows("a,b of 3");
  await app.maps.create({ metadata: { name: "aa" } });
  await app.shows("a,aa of 4");
  await show({ descending: true, namespace: "default" });
  await app.shows("c,b of 4");
  await show({ descending: true, namespace: "default", filter: "AA" });
  await app.shows("aa of 1");
  await show({ descending: true, namespace: "kube-public" });
  await app.shows(" of 0");
});

it("useAccess shows what the server allows, and shares one review between components", async () => {
  await using app = await openApp();
  const seen: unknown[] = [];
  const Delete = (): ReactElement => {
    const { allowed } = useAccess("delete", ConfigMap, { namespace: "default" });
    const logs = useAccess("get", [ConfigMap, "log"], { namespace: "default" });
    seen.push(allowed);
    return createElement("p", null, `${allowed} ${logs.allowed};`);
  };
  await app.page.render(within(app.stores, createElement(Delete), createElement(Delete)));
  await app.shows("true true;true true;");
  expect(seen[0]).toBe(undefined);
});
