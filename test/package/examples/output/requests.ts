import type { Output } from "./output.js";

/** Expected output of the examples in `examples/requests`. */
export const requests: Readonly<Record<string, Output>> = {
  "create-update-delete.ts": [
    "created settings { colour: 'blue' }",
    "updated { colour: 'blue', size: 'small' }",
    "left: undefined",
    "404 NotFound",
  ],
  "delete-many.ts": ["7 deleted", "dependents left: 0"],
  "differences.ts": [
    "{ data: { size: null, colour: 'red' } }",
    "[",
    "  { op: 'test', path: '/data/size', value: 'small' },",
    "  { op: 'remove', path: '/data/size' },",
    "  { op: 'test', path: '/data/colour', value: 'blue' },",
    "  { op: 'replace', path: '/data/colour', value: 'red' }",
    "]",
    "kubestream [ '.data' ]",
    "painter [ '.data.colour' ]",
  ],
  "dry-run.ts": [
    "would create planned with uid true",
    "stored: undefined",
    /strict decoding error: unknown field "dat"$/,
    'warning: unknown field "dat"',
  ],
  "encodings.ts": [
    "application/json",
    "application/cbor",
    "application/vnd.kubernetes.protobuf",
    "smaller than JSON: true",
    "same objects: true",
  ],
  "errors.ts": [
    "get → not found: errors-example",
    "create → ok",
    "create again → already exists",
    "create with a bad name → invalid: metadata.name",
    "update of an old version → conflict: the object was changed in the meantime",
    /^get of a path → invalid argument, not sent: /,
    /^unknown context → invalid configuration: .*no-such-context/,
  ],
  "flow-control.ts": [
    "200 { flowSchema: 'exempt', priorityLevel: 'exempt' }",
    "service-accounts",
    "requests that waited: true",
  ],
  "paging.ts": [
    "{ pages: 1, items: 10, remaining: 15, inconsistent: false }",
    "{ pages: 2, items: 20, remaining: 5, inconsistent: false }",
    "{ pages: 3, items: 26, remaining: 0, inconsistent: true }",
    "26 names, 26 distinct, last: map-99",
    "26 objects in chunks",
  ],
  "patch.ts": [
    "strategic: [ 'main=web:1', 'proxy=proxy:1' ]",
    "merge: [ 'main=web:2' ]",
    "json: test /spec/replicas, replace /spec/replicas",
    "replicas: 3",
  ],
  "quantities.ts": ["cpu: 500m = 0.5", "memory: 1636Mi", "more than 1Gi: true"],
  "raw-requests.ts": ["v1.36.3", "readyz check passed", "201 application/json", "404 NotFound", "allowed: 404"],
  "retry-on-conflict.ts": ["created", "conflict: 409", "count: 11 retries: true"],
  "secrets.ts": [
    "Opaque [ 'password', 'user' ]",
    "8 characters",
    "Forbidden: field is immutable when `immutable` is set",
  ],
  "table.ts": [
    /^NAME +READY +STATUS +RESTARTS +AGE$/,
    /^pod-0 +0\/1 +Pending +0 +\d+/,
    /^pod-1 +0\/1 +Pending +0 +\d+/,
    /^pod-2 +0\/1 +Pending +0 +\d+/,
  ],
  "trace-and-measure.ts": [
    /^sent 00-(?<trace>[0-9a-f]{32})-(?<span>[0-9a-f]{16})-01$/,
    /^span (?<trace>[0-9a-f]{32}) (?<span>[0-9a-f]{16}) list pods [/]api[/]v1[/]namespaces[/]web[/]pods 200$/,
    'duration {"verb":"list","resource":"pods"}',
    "2 pods",
  ],
};
