import { expect, it, vi } from "vitest";
import { logWarnings, parseWarnings } from "../../../../src/client/call/warnings.js";

it("default warning handler logs each text once, without control characters", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  try {
    const log = logWarnings();
    // The second text contains CSI, the one-byte form of ESC [, encoded in UTF-8.
    for (const warning of parseWarnings('299 - "old", 299 - "\u00c2\u009b31mred", 299 - "old", 299 - "\u001b[2Jgone"'))
      log(warning);
    expect(warn.mock.calls).toEqual([
      ["kubernetes warning: old"],
      ["kubernetes warning: 31mred"],
      ["kubernetes warning: [2Jgone"],
    ]);
  } finally {
    warn.mockRestore();
  }
});
