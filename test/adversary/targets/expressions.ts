import { parseToken } from "../../../src/apiserver/authentication/jwt/verify.js";
import { compileCel, evaluateCel } from "../../../src/apiserver/cel/cel.js";
import { CelCompileError } from "../../../src/apiserver/cel/parser/issues.js";
import { toCel } from "../../../src/apiserver/cel/values/data.js";
import { CelError } from "../../../src/apiserver/cel/values/values.js";
import { ApiFailure } from "../../../src/apiserver/errors/status.js";
import { compileGoRegExp } from "../../../src/apiserver/internal/re2.js";
import { lenientAddress } from "../../../src/apiserver/objects/addresses.js";
import { hasFormat } from "../../../src/apiserver/objects/formats.js";
import { parseLabelSelector } from "../../../src/apiserver/objects/selectors.js";
import { parseJsonPath } from "../../../src/apiserver/schema/json-path.js";
import { parseRetryAfter } from "../../../src/client/call/retry.js";
import { createClient } from "../../../src/client/client.js";
import { parseDuration } from "../../../src/codec/protobuf/special.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { formatQuantity, parseQuantity } from "../../../src/meta/quantity.js";
import * as clientSelectors from "../../../src/meta/selectors.js";
import { parseTime } from "../../../src/meta/time.js";
import { readKubeconfig } from "../../../src/node/kubeconfig/kubeconfig.js";
import { reviewAdmission } from "../../../src/webhook/admission.js";
import { reviewConversion } from "../../../src/webhook/conversion.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Hostile, Run, Target } from "../target.js";
import { touch } from "../target.js";
import { jsonWords } from "../vocabularies.js";

/** Text in an object, in which a quadratic pattern takes minutes. */
const longText = 1024 * 1024;
/** Longest expression in a definition or policy. */
const longExpression = 16 * 1024;
/** Longest head of a request that Node accepts. */
const longHead = 16 * 1024;

const words = (values: Vocabulary["values"], more: Partial<Vocabulary> = {}): Vocabulary => ({
  frames: [["", ""]],
  pairs: [],
  junk: ["\0", " ", "\\", '"', "x".repeat(100)],
  joints: ["", ","],
  values,
  ...more,
});

const text = (vocabulary: Vocabulary, run: (value: string) => unknown, more: Partial<Target> = {}): Target => ({
  maxBytes: longHead,
  vocabulary,
  prepare:
    ({ text: value }: Hostile): Run =>
    () =>
      run(value),
  ...more,
});

const self = toCel({ list: Array.from({ length: 100 }, (_, at) => `v${String(at)}`), text: "abc".repeat(100) });
const cel = words(
  [
    "1",
    "self.list",
    "self.text",
    '"abc"',
    "[1, 2, 3]",
    "{'a': 1}",
    "self.list.size()",
    "true",
    "1u",
    "1.5",
    "b'a'",
    "null",
  ],
  {
    frames: [
      ["", ""],
      ["self.list.all(x, ", " == x)"],
      ["self.list.map(x, self.list.map(y, ", "))"],
      ["self.text.matches(", ")"],
      ["[", "].size() > 0"],
      ["self.list.exists(a, self.list.exists(b, self.list.exists(c, a + b + c == ", ")))"],
    ],
    pairs: [
      ["(", ")"],
      ["[", "]"],
      ["!", ""],
      ["-", ""],
      ["{'a': ", "}"],
      ["self.list.map(x, ", ")"],
      ["self.list.filter(x, ", " == x)"],
      ["size(", ")"],
      ["true ? ", " : 1"],
      ["[1, 2].map(a, [a, ", "])"],
      ["string(", ")"],
      ["has(self.", ")"],
      ["", ".map(a, a + a)"],
      ["", "[0]"],
      ["", ".a"],
      ["", ".join(',')"],
      ["", ".split('')"],
      ["", ".replace('a', 'aaaa')"],
    ],
    junk: ["'", '"""', "r'(a+)+$'", "@", "\n", "//", "0x", "1e999", "9223372036854775807", "'\\u0041'"],
    joints: [" + ", " && ", " || ", ", ", " == ", " in ", " "],
  },
);

const patterns = words(
  ["a", ".", "\\d", "[a-z]", "(a+)+", "a*", "a{1,1000}", "(a|b)", "\\p{L}", "(?i)a", "^", "$", "x?"],
  {
    pairs: [
      ["(", ")"],
      ["(?:", ")+"],
      ["(", ")*"],
      ["(", "){2}"],
      ["[", "]"],
      ["(?i:", ")"],
    ],
    junk: ["\\", "[", "{", "*", "(?<", "\\1", "{,9}"],
    joints: ["", "|"],
  },
);
const paths = words([".a", "..a", "['a']", "[0]", "[*]", "[1:3]", "[-1]", '[?(@.a=="b")]', ".*", "..*", "[?(@.a)]"], {
  pairs: [
    ["[", "]"],
    ["[?(@.a==", ")]"],
  ],
  joints: ["", "."],
});
const tree = JSON.parse(`{"a":${'[{"a":'.repeat(20)}1${"}]".repeat(20)}}`) as unknown;
const selectors = words(
  ["a=b", "a in (b)", "!a", "a", "a notin (b,c)", "a!=b", "a==b", "a>1", "example.com/a=b", "in in (in)"],
  {
    pairs: [["a in (", ")"]],
    junk: ["(", ")", "=", "!", ",", "\\", " ", "in"],
    joints: [",", " , "],
  },
);
const times = words(
  [
    "1",
    "120",
    "9".repeat(30),
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "1h",
    "-1",
    "1Ki",
    "1e3",
    "0.1",
    "2026-01-02T03:04:05Z",
  ],
  {
    joints: ["", " ", ", ", "."],
  },
);
const base64 = (value: string): string => Buffer.from(value, "latin1").toString("base64url");
const tokens = words([".", "a", base64('{"alg":"RS256"}'), base64("[".repeat(3_000)), "=", "-_"], {
  frames: [
    ["", ""],
    [`${base64('{"alg":"RS256"}')}.`, ".AAAA"],
  ],
  joints: ["", "."],
});
const statuses = jsonWords([
  ['{"kind":"Status","apiVersion":"v1","code":500,"message":"Bearer abc","details":{"causes":[', "]}}"],
  ['{"kind":"Status","apiVersion":"v1",', "}"],
]);
const kubeconfigs = jsonWords([
  ['{"apiVersion":"v1","kind":"Config","clusters":[', "]}"],
  ['{"apiVersion":"v1","kind":"Config","users":[', "]}"],
  ['{"apiVersion":"v1","kind":"Config","contexts":[{"name":"a","context":{"extensions":', "}}]}"],
]);
const reviews = jsonWords([
  [
    '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE","object":',
    "}}",
  ],
  [
    '{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1","desiredAPIVersion":"a/v1","objects":[',
    "]}}",
  ],
]);

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Parses as much as a JSON parser accepts, and gives up like it on the rest. */
const parsed = (value: string, use: (value: unknown) => unknown): unknown => use(JSON.parse(value));
/** These functions document a TypeError for bad input. Those of the engine are mistakes. */
const isOwnTypeError = (error: unknown): boolean =>
  error instanceof TypeError &&
  /^(?:quantities must|invalid RFC 3339|label selector|field selector)/.test(error.message);
const isFailure = (error: unknown): boolean => error instanceof ApiFailure;

/** Parsers and evaluators of small texts: expressions, selectors, tokens, headers, and documents that are parsed. */
export const expressions: Record<string, Target> = {
  cel: text(cel, (value) => evaluateCel(compileCel(value, ["self"]), { self }), {
    maxBytes: longExpression,
    // An evaluation may cost a million units, as on a real server. This one takes most of them.
    wellFormed: () => 'self.list.all(a, self.list.all(b, !self.list.exists(c, a + b + c == "v9v9v")))',
    refuses: (error) => error instanceof CelError || error instanceof CelCompileError,
  }),
  pattern: text(patterns, (value) => compileGoRegExp(value.slice(0, 4_096)).test("ab".repeat(5_000)), {
    maxBytes: 4_096,
    // The program of a pattern is limited to 1000 repetitions, and runs over the text in linear time.
    wellFormed: (bytes) => ordinary(bytes, ["", ""], ".b"),
  }),
  "json-path": text(paths, (value) => parseJsonPath(value)(tree), { maxBytes: 512 }),
  "label-selector": text(selectors, (value) => parseLabelSelector(value), { refuses: isFailure }),
  "client-label-selector": text(selectors, (value) => clientSelectors.parseLabelSelector(value), {
    refuses: isOwnTypeError,
  }),
  "client-field-selector": text(selectors, (value) => clientSelectors.parseFieldSelector(value), {
    refuses: isOwnTypeError,
  }),
  quantity: text(times, (value) => formatQuantity(parseQuantity(value)), {
    maxBytes: longText,
    refuses: isOwnTypeError,
  }),
  time: text(times, (value) => parseTime(value), { maxBytes: longText, refuses: isOwnTypeError }),
  duration: text(times, (value) => parseDuration(value), { maxBytes: longText }),
  address: text(times, (value) => lenientAddress(value), { maxBytes: longText }),
  "custom-duration": text(times, (value) => hasFormat(value, "duration"), { maxBytes: longText }),
  "retry-after": text(times, (value) => parseRetryAfter(value, 0)),
  token: text(tokens, (value) => parseToken(value)),
  "error-body": {
    maxBytes: 1024 * 1024,
    vocabulary: statuses,
    prepare: ({ bytes }) => {
      const headers = { get: (name: string) => (name === "content-type" ? "application/json" : null) };
      const client = createClient({
        retry: false,
        transport: {
          send: async () => ({ status: 500, headers, body: once(bytes) }),
          close: async () => undefined,
        },
      });
      return () => client.resource(ConfigMap).list();
    },
  },
  kubeconfig: text(kubeconfigs, (value) => parsed(value, (content) => readKubeconfig(content, "file", "/")), {
    maxBytes: 1024 * 1024,
  }),
  "admission-review": text(
    reviews,
    (value) => parsed(value, async (review) => touch(await reviewAdmission(review, () => undefined))),
    { maxBytes: 1024 * 1024 },
  ),
  "conversion-review": text(
    reviews,
    (value) => parsed(value, async (review) => touch(await reviewConversion(review, (object) => object))),
    {
      maxBytes: 1024 * 1024,
      // Each object is converted by a call, with a promise.
      wellFormed: (bytes) =>
        ordinary(
          bytes,
          [
            '{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1","desiredAPIVersion":"a/v1","objects":[',
            "]}}",
            ",",
          ],
          '{"metadata":{}}',
        ),
    },
  ),
};
