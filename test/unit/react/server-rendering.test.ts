import { createElement, type ReactElement, Suspense } from "react";
import { renderToReadableStream, renderToString } from "react-dom/server";
import { beforeEach, expect, it, vi } from "vitest";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { KubestreamProvider, useLiveStores } from "../../../src/react/provider.js";
import { useInformer } from "../../../src/react/use-informer.js";
import { createLiveStores, type LiveStores } from "../../../src/stores/live-stores.js";
import { openApp, within } from "./app.js";

function Names(): ReactElement {
  const { items, isSynced } = useInformer(ConfigMap, { namespace: "default" });
  return createElement("p", null, isSynced ? items.map(({ metadata }) => metadata?.name).join(",") : "…");
}

beforeEach(() => {
  // React warns that this process renders one context for a server and for a page.
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

it("a server waits for suspended components and sends their data", async () => {
  await using app = await openApp();
  await app.maps.create({ metadata: { name: "a" } });
  const Waiting = (): ReactElement => {
    const { items } = useInformer(ConfigMap, { namespace: "default", suspense: true });
    return createElement("p", null, items.length);
  };
  const tree = createElement(Suspense, { fallback: "loading" }, createElement(Waiting));
  const stream = await renderToReadableStream(within(app.stores, tree));
  expect(await new Response(stream).text()).toContain("<p>1</p>");
});

it("hooks outside a provider throw, and one client has one set of stores", async () => {
  await using app = await openApp();
  const seen: LiveStores[] = [];
  const Probe = (): null => {
    seen.push(useLiveStores());
    return null;
  };
  expect(() => renderToString(createElement(Probe))).toThrow("needs a KubestreamProvider");
  for (let i = 0; i < 2; i++)
    renderToString(createElement(KubestreamProvider, { client: app.client }, createElement(Probe)));
  expect(new Set(seen).size).toBe(1);
});

it("a page of a server hydrates without differences and becomes live", async () => {
  await using app = await openApp();
  await app.maps.create({ metadata: { name: "a" } });
  await app.stores.prefetch(ConfigMap, { namespace: "default" });
  const html = renderToString(within(app.stores, createElement(Names)));
  expect(html).toBe("<p>a</p>");
  const dehydrated = JSON.parse(JSON.stringify(app.stores.dehydrate())) as ReturnType<typeof app.stores.dehydrate>;
  await using browser = createLiveStores(app.client, { dehydrated, intervalMs: 0, lingerMs: 0 });
  await app.page.hydrate(html, within(browser, createElement(Names)));
  expect([app.page.text(), app.page.recovered]).toEqual(["a", []]);
  await app.maps.create({ metadata: { name: "b" } });
  await app.shows("a,b");
  await app.page.render(null);
});
