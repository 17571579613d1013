import { expect, it } from "vitest";
import { lazyModule } from "../../../src/internal/lazy-module.js";

it("a lazy module is imported once for all that wait for it", async () => {
  let imports = 0;
  const lazy = lazyModule(() => Promise.resolve({ number: ++imports }));
  expect(() => lazy.get()).toThrow("a module is used before it is loaded");
  await Promise.all([lazy.load(), lazy.load()]);
  expect(lazy.load()).toBeUndefined();
  expect(lazy.get()).toEqual({ number: 1 });
});

it("a lazy module is imported again after a failure", async () => {
  let imports = 0;
  const lazy = lazyModule(() => (imports++ === 0 ? Promise.reject(new Error("offline")) : Promise.resolve({})));
  await expect(lazy.load()).rejects.toThrow("offline");
  await lazy.load();
  expect(imports).toBe(2);
});
