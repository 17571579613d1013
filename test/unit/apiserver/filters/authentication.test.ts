import { describe, expect, it } from "vitest";
import { authenticateToken } from "../../../../src/apiserver/authentication/authenticators/authenticator.js";
import type { Authentication } from "../../../../src/apiserver/authentication/create-authentication.js";
import { alwaysAllow } from "../../../../src/apiserver/authorization/fixed.js";
import { ApiFailure } from "../../../../src/apiserver/errors/status.js";
import { authenticate, parseTokenFile } from "../../../../src/apiserver/filters/authentication.js";
import { impersonate } from "../../../../src/apiserver/filters/impersonation.js";
import { resourceAttributes } from "../../../../src/apiserver/rbac/attributes.js";
import type { Authorizer } from "../../../../src/apiserver/rbac/authorizer.js";
import { requestWith } from "./request.js";

const users = parseTokenFile(
  'admin-token,admin,admin-uid,"system:masters"\n\nalice-token, alice, alice-uid, "dev,ops"\nplain,bob,3\n',
  "tokens.csv",
);
const tokens: Authentication = {
  beforeTokens: [],
  afterTokens: [],
  audiences: [],
  token: (token) =>
    authenticateToken(token, [(text) => (users.has(text) ? { user: users.get(text)! } : undefined)], []),
  allowsAnonymous: () => true,
};

const statusOf = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
  } catch (error) {
    if (error instanceof ApiFailure) return error.status;
    throw error;
  }
  return undefined;
};

describe("authentication", () => {
  it.each([
    ["Bearer admin-token", { name: "admin", uid: "admin-uid", groups: ["system:masters", "system:authenticated"] }],
    ["bearer alice-token", { name: "alice", uid: "alice-uid", groups: ["dev", "ops", "system:authenticated"] }],
    ["Bearer plain", { name: "bob", uid: "3", groups: ["system:authenticated"] }],
    ["Basic YTpi", { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"] }],
    ["garbage", { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"] }],
    ["Bearer ", { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"] }],
  ])("authorization header %j", async (authorization, expected) => {
    expect(await authenticate(requestWith({ authorization }), tokens)).toEqual({ user: { ...expected, extra: {} } });
  });

  it("rejects an unknown token without repeating it", async () => {
    expect(await statusOf(() => authenticate(requestWith({ authorization: "Bearer secret" }), tokens))).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    });
  });

  it.each([
    ["a,b", "token file t.csv, line 1: expected at least 3 columns (token, user, uid), found 2"],
    ['a,b,c\nsecret,"b,c', "token file t.csv, line 2: unbalanced quotes"],
    [",b,c", "token file t.csv, line 1: token is empty"],
  ])("names the line of an invalid token file: %s", (text, message) => {
    expect(() => parseTokenFile(text, "t.csv")).toThrow(message);
  });
});

describe("impersonation", () => {
  const requester = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };
  const wish = resourceAttributes(requester, "list", { version: "v1", resource: "configmaps", namespace: "default" });
  it.each([
    ["without headers", {}, undefined],
    ["with an empty user", { "impersonate-user": "" }, undefined],
    [
      "of a user",
      { "impersonate-user": "jane" },
      { name: "jane", uid: "", groups: ["system:authenticated"], extra: {} },
    ],
    [
      "of groups, uid and extra",
      {
        "impersonate-user": "jane",
        "impersonate-group": ["g1", "g2"],
        "impersonate-uid": "u-1",
        "impersonate-extra-scopes": ["a", "b"],
        "impersonate-extra-acme.com%2fproject": "p",
      },
      {
        name: "jane",
        uid: "u-1",
        groups: ["g1", "g2", "system:authenticated"],
        extra: { "acme.com/project": ["p"], scopes: ["a", "b"] },
      },
    ],
    [
      "of a service account adds its groups",
      { "impersonate-user": "system:serviceaccount:ns:sa" },
      {
        name: "system:serviceaccount:ns:sa",
        uid: "",
        groups: ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
        extra: {},
      },
    ],
    [
      "of system:anonymous",
      { "impersonate-user": "system:anonymous" },
      { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} },
    ],
    [
      "of system:unauthenticated doesn't add system:authenticated",
      { "impersonate-user": "x", "impersonate-group": "system:unauthenticated" },
      { name: "x", uid: "", groups: ["system:unauthenticated"], extra: {} },
    ],
  ] as const)("%s", async (_title, headers, expected) => {
    expect(await impersonate(requestWith(headers as unknown as Record<string, string>), wish, alwaysAllow)).toEqual(
      expected,
    );
  });

  it.each([{ "impersonate-group": "g" }, { "impersonate-extra-x": "y" }, { "impersonate-uid": "y" }])(
    "requires a user: %j",
    async (headers) => {
      expect(
        await statusOf(() => impersonate(requestWith(headers as unknown as Record<string, string>), wish, alwaysAllow)),
      ).toMatchObject({ code: 400, reason: "BadRequest" });
    },
  );

  const on = (mode: string): string => `impersonate-on:${mode}:list /configmaps/ default:`;
  it.each([
    [{ "impersonate-user": "jane" }, [on("user-info"), "impersonate:user-info authentication.k8s.io/users/ :jane"]],
    [
      { "impersonate-user": "system:serviceaccount:ns:sa" },
      [on("serviceaccount"), "impersonate:serviceaccount authentication.k8s.io/serviceaccounts/ ns:sa"],
    ],
    [
      { "impersonate-user": "system:node:n1" },
      [on("arbitrary-node"), "impersonate:arbitrary-node authentication.k8s.io/nodes/ :n1"],
    ],
    [
      {
        "impersonate-user": "jane",
        "impersonate-group": "g",
        "impersonate-extra-acme.com%2fk": "v",
        "impersonate-uid": "u",
      },
      [
        on("user-info"),
        "impersonate:user-info authentication.k8s.io/users/ :jane",
        "impersonate:user-info authentication.k8s.io/uids/ :u",
        "impersonate:user-info authentication.k8s.io/groups/ :g",
        "impersonate:user-info authentication.k8s.io/userextras/acme.com/k :v",
      ],
    ],
    [
      // Combinations that constrained impersonation doesn't support use the legacy verb.
      {
        "impersonate-user": "system:serviceaccount:ns:sa",
        "impersonate-group": "g",
        "impersonate-extra-k": "v",
        "impersonate-uid": "u",
      },
      [
        "impersonate /serviceaccounts/ ns:sa",
        "impersonate authentication.k8s.io/uids/ :u",
        "impersonate /groups/ :g",
        "impersonate authentication.k8s.io/userextras/k :v",
      ],
    ],
  ])("checks the right to impersonate each part of %j", async (headers, wanted) => {
    const asked: string[] = [];
    const recording: Authorizer = {
      ...alwaysAllow,
      authorize(attributes) {
        asked.push(
          `${attributes.verb} ${attributes.group}/${attributes.resource}/${attributes.subresource} ${attributes.namespace}:${attributes.name}`,
        );
        return { allowed: true, reason: "" };
      },
    };
    await impersonate(requestWith(headers as unknown as Record<string, string>), wish, recording);
    expect(asked).toEqual(wanted);
  });

  const old: Authorizer = {
    ...alwaysAllow,
    authorize: ({ verb }) => ({ allowed: verb === "impersonate", reason: "" }),
  };
  const none: Authorizer = { ...alwaysAllow, authorize: () => ({ allowed: false, reason: "" }) };
  const constrained: Authorizer = {
    ...alwaysAllow,
    authorize: ({ verb }) => ({ allowed: verb !== "impersonate", reason: "" }),
  };

  it("accepts the legacy impersonate verb for any action", async () => {
    expect(await impersonate(requestWith({ "impersonate-user": "jane" }), wish, old)).toMatchObject({ name: "jane" });
  });

  it.each([
    [
      "an unauthorized user names the first mode",
      none,
      { "impersonate-user": "jane" },
      'configmaps is forbidden: User "admin" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      "the group system:masters",
      constrained,
      { "impersonate-user": "jane", "impersonate-group": "system:masters" },
      'groups.authentication.k8s.io "system:masters" is forbidden: User "admin" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
    [
      "a service account with groups",
      none,
      { "impersonate-user": "system:serviceaccount:ns:sa", "impersonate-group": "g" },
      'serviceaccounts "sa" is forbidden: User "admin" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
    ],
  ] as const)("error for %s", async (_title, authorizer, headers, message) => {
    expect(await statusOf(() => impersonate(requestWith(headers), wish, authorizer))).toMatchObject({
      code: 403,
      message,
    });
  });
});
