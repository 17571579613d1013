import { Window } from "happy-dom";
import { act, createElement, type ReactNode, StrictMode } from "react";
import type { Root } from "react-dom/client";

/** A React root in a DOM of its own. */
export interface Page extends AsyncDisposable {
  /** Text of the page. */
  text(): string;
  /** Renders an element under Strict Mode, and lets effects run. */
  render(element: ReactNode): Promise<void>;
  /** Replaces the page by HTML of a server, and hydrates it. */
  hydrate(html: string, element: ReactNode): Promise<void>;
  /** Errors that React recovered from during hydration. */
  readonly recovered: unknown[];
}

/** Creates an empty page. Its DOM is global until the page is disposed. */
export async function openPage(): Promise<Page> {
  const window = new Window({ url: "http://localhost/" });
  const globals = globalThis as unknown as Record<string, unknown>;
  const given = { window, document: window.document, navigator: window.navigator, IS_REACT_ACT_ENVIRONMENT: true };
  const added = Object.entries(given).filter(([name]) => !(name in globals));
  Object.assign(globals, Object.fromEntries(added));
  const { createRoot, hydrateRoot } = await import("react-dom/client");
  const container = window.document.createElement("div") as unknown as HTMLElement;
  let root: Root | undefined;
  const recovered: unknown[] = [];
  const strict = (element: ReactNode): ReactNode => createElement(StrictMode, null, element);
  return {
    recovered,
    text: () => container.textContent ?? "",
    async render(element) {
      await act(async () => {
        root ??= createRoot(container);
        root.render(strict(element));
      });
    },
    async hydrate(html, element) {
      container.innerHTML = html;
      await act(async () => {
        root = hydrateRoot(container, strict(element), { onRecoverableError: (error) => recovered.push(error) });
      });
    },
    async [Symbol.asyncDispose]() {
      await act(async () => root?.unmount());
      await window.happyDOM.close();
      for (const [name] of added) delete globals[name];
    },
  };
}
