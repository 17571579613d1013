import { act, createElement, type ReactElement, type ReactNode } from "react";
import { expect } from "vitest";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { KubestreamProvider } from "../../../src/react/provider.js";
import { createLiveStores, type LiveStores } from "../../../src/stores/live-stores.js";
import { openPage } from "../../support/dom.js";
import { settle } from "../../support/virtual-clock.js";
import { openWorld } from "../controller/world.js";

/** Opens a page with the stores of an embedded server. */
export async function openApp(lingerMs = 60_000) {
  const world = openWorld();
  const stores = createLiveStores(world.client, { intervalMs: 0, lingerMs });
  const page = await openPage();
  const maps = world.client.resource(ConfigMap).namespace("default");
  return {
    ...world,
    stores,
    page,
    maps,
    /** Lets React render until the page shows a text. */
    async shows(text: string): Promise<void> {
      const end = performance.now() + 20_000;
      while (page.text() !== text && performance.now() < end) await act(settle);
      expect(page.text()).toBe(text);
    },
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]();
      await stores.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

/** Returns elements within a provider. */
export const within = (stores: LiveStores, ...children: ReactNode[]): ReactElement =>
  createElement(KubestreamProvider, { stores }, ...children);
