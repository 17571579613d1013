import { describe, expect, it } from "vitest";
import { alwaysDeny } from "../../../../src/apiserver/authorization/fixed.js";
import { resourceAttributes } from "../../../../src/apiserver/rbac/attributes.js";
import type { Authorizer } from "../../../../src/apiserver/rbac/authorizer.js";
import { rerunUntilDecided, synchronousDecisions } from "../../../../src/apiserver/rbac/decisions.js";

const user = { name: "jane", uid: "", groups: [], extra: {} };
const ask = (name: string): ReturnType<typeof resourceAttributes> =>
  resourceAttributes(user, "get", { resource: "pods", name });

describe("synchronous decisions", () => {
  it("are passed on at once by an authorizer that doesn't wait", () => {
    const decide = synchronousDecisions(alwaysDeny);
    expect(rerunUntilDecided(() => decide(ask("a")).allowed)).toBe(false);
  });

  it("run the code again for each decision that an authorizer waits for, and ask once for each action", async () => {
    const asked: string[] = [];
    const slow: Authorizer = {
      ...alwaysDeny,
      async authorize({ name }) {
        asked.push(name);
        await Promise.resolve();
        return { allowed: name !== "b", reason: name };
      },
    };
    const decide = synchronousDecisions(slow);
    let runs = 0;
    const result = await rerunUntilDecided(() => {
      runs += 1;
      return ["a", "b", "c"].map((name) => decide(ask(name)).allowed);
    });
    expect({ result, asked, runs }).toEqual({ result: [true, false, true], asked: ["a", "b", "c"], runs: 4 });
  });

  it("reject if the authorizer rejects", async () => {
    const failing: Authorizer = { ...alwaysDeny, authorize: () => Promise.reject(new Error("unreachable")) };
    const decide = synchronousDecisions(failing);
    await expect(Promise.resolve(rerunUntilDecided(() => decide(ask("a"))))).rejects.toThrow("unreachable");
  });
});
