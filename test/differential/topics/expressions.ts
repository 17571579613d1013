import type { Probe, Topic } from "../probe.js";

/** Expressions that do not compile, or come to something that is no condition. */
const expressions: readonly string[] = [
  "1 +", "", " ", "a b", "(1", "[1, 2", "{1: 2", "{", "1 + $", "1 + +", "*@a | b", "a | b", "foo(", "f(1, 2", "object.", "object.in", "object.true", "object.?", "'abc", '"\\xFh"', "1 = 2", "in", "true ? 1", "true ? 1 : ", "for", "let(1)", "object.for == 1", "x.y{", "1.all(2, 3)",
  "object.`foo-bar` == 1", "`foo`", "{?'a': object.?b}", "[?object.?a] == [1]", "{?'a': 1} == {}", "[?1] == [1]", "Object{a: 1} == null", "JSONPatch{op: 'add'}.op == 'add'", "int{}", "google.protobuf.Timestamp{}",
  "1", "'a'", "null", "[1]", "{'a': 1}", "int", "object", "object.a", "optional.none()", "request", "timestamp('2020-01-01T00:00:00Z')", "duration('1h')", "b'a'", "1u", "1.5", "type(1)", "quantity('1')", "[]", "{}", "[[1]]", "[object]", "namespaceObject", "authorizer", "authorizer.requestResource", "optional.of(1)", "object.?a",
  "self", "foo(1)", "object.foo(1)", "object.size(1)", "variables.x", "params", "request.foo == 1", "request.kind.foo == 1", "request.name.foo == 1", "namespaceObject.metadata.uid == ''", "namespaceObject.spec.foo == 1", "quantity('1').foo", "authorizer.foo", "authorizer.requestResource.check('get').allowed()",
  "1 == 'a'", "1 + 'a' == 1", "!1", "-'a' == 'a'", "-1u == 1u", "1 && true", "'a' || true", "true && 1 || 'x'", "1 < 'a'", "1 < 1.5", "1 == 1.0", "1 in ['a']", "1 in 1", "'a' in {'a': 1}", "'a'[0] == 'a'", "[1]['a'] == 1", "{'a': 1}[1] == 1", "true ? 1 : 'a'", "1 ? true : false", "(true ? 1 : 2) == 'a'",
  "'a'.startsWith(1)", "'a'.startsWith()", "'a'.startsWith('a', 'b')", "size(1) == 1", "1.size() == 1", "has(object)", "has(object.a.b)", "has(object[0])", "has(request.foo)", "has(request.name)", "has(object.?a)", "[1].all(x, x)", "[1].all(x, 'a')", "[1].all(1, true)", "[1].exists(x, x > 'a')", "1.all(x, true)", "'a'.exists(x, true)",
  "[1].exists_one(x, x)", "[1].map(x, y) == []", "[1].map(1, 1) == []", "[1].map(x, x, x) == [1]", "[1].filter(x, x) == [1]", "[1].filter(1, true) == []", "[1].map(x, x == 1, x) == ['a']", "['a'].map(x, x + 1) == []", "{'a': 1}.all(k, k > 1)", "{'a': 1}.all(k, v, v > 'a')", "[1].all(i, v, i == v)", "[1].transformList(i, v, v) == ['a']", "{'a': 1}.transformMap(k, v, v) == {'a': 'b'}",
  "{'a': 1}.transformMap(k, k, k) == {}", "{'a': 1}.transformMapEntry(k, v, {v: k}) == {'a': 1}", "{'a': 1}.transformMapEntry(k, v, v) == {}", "[3, 1].sortBy(x, x) == ['a']", "[3, 1].sortBy(x, [x]) == [1]", "[3, 1].sortBy(1, 1) == [1]", "1.sortBy(x, x) == [1]", "optional.of(1).optMap(x, x + 'a').hasValue()", "1.optMap(x, x).hasValue()", "optional.of(1).optMap(1, 1).hasValue()", "optional.of(1).optFlatMap(x, x).hasValue()",
  "[1, 'a'] == []", "[1, 1.0] == []", "[1, object.a] == []", "[object.a, 1] == []", "{'a': 1, 'b': 'c'} == {}", "{1: 1, 'a': 1} == {}", "[[1], ['a']] == []", "'%d %s'.format([1, 'a']) == ''", "'%d'.format(['a']) == ''", "'%s'.format([]) == ''", "'%s'.format([1, 2]) == ''", "'%q'.format([1]) == ''", "'%'.format([]) == ''", "'%.3f'.format(['x']) == ''", "'%b'.format([1.5]) == ''", "'%x'.format([1.5]) == ''", "'%o'.format(['a']) == ''", "'%e'.format([1]) == ''",
  "'%s'.format([object.a]) == ''", "'%s'.format([optional.none()]) == ''", "'%d'.format([1.5]) == ''", "duration('x') == duration('1s')", "timestamp('x') == timestamp('y')", "'a'.matches('[')", "matches('a', '(')", "duration('1h') + 1 == duration('1h')", "timestamp('2020-01-01T00:00:00Z') + timestamp('2020-01-01T00:00:00Z') == null",
  "ip('1.2.3.4').string() == ''", "string(ip('1.2.3.4')) == 1", "cidr('10.0.0.0/8').containsIP(1)", "semver('1.0.0').compareTo('1') == 0", "quantity('1') < quantity('2')", "quantity('1').add('1') == quantity('2')", "sign(quantity('1')) == 1", "quantity('1').sign() == 1", "url('a').getQuery() == 1", "format.named('a').value().validate('a') == 1", "format.foo() == 1", "sets.contains([1], ['a'])", "sets.contains([1], 1)",
  "[1].sum() == 'a'", "['a'].sum() == 'a'", "[[1]].max() == [1]", "[1].indexOf('a') == 0", "'a'.indexOf(1) == 0", "[1].join() == ''", "'a'.find(1) == ''", "[1].slice('a', 1) == [1]", "[1].flatten() == [1]", "[[1]].flatten() == ['a']", "lists.range('a') == [1]", "[1].reverse() == ['a']", "'a'.reverse() == 'a'", "[1].first() == 1", "[1].first().value() == 'a'", "[1].distinct() == ['a']", "jsonpatch.escapeKey('a') == ''", "strings.quote(1) == ''",
  "optional.of(1).value() == 'a'", "optional.of(1).orValue('a') == 1", "optional.of(1).or(optional.of('a')).hasValue()", "[1][?0].value() == 'a'", "{'a': 1}[?1].hasValue()", "object.?a.b.c", "object[?'a']", "request.?name.value() == 1", "optional.none().value()", "authorizer.path(1).check('get').allowed()", "authorizer.path('/').check('get')", "authorizer.group('').resource('pods').check('get')", "authorizer.group('').check('get').allowed()",
  "authorizer.serviceAccount('a').path('/').check('get').allowed()", "authorizer.path('/').check('get').reason() == 1", "authorizer.group('').resource('pods').namespace(1).check('get').allowed()", "string(object) == 1", "int('a') == 'b'", "bytes(1) == b'a'", "double(true) == 1.0", "dyn(1) == 'a'", "type(1) == 'a'", "type(1) == int && 1", "null == 1", "object == null && 1", "timestamp('2020-01-01T00:00:00Z') == null && 1", "request == null && 1",
  "true\n&& foo\n|| bar(1)", "'é' == 1", "'日本' + foo", "\t foo", "9223372036854775808 == 1", "18446744073709551616u == 1u", "1e999 == 1.0", "'\\q' == ''", "'\\ud800' == ''", "b'\\u00ff' == b''", "r'\\d' == 1", "'''a\nb''' == 1", "//x", "1 // x", ".object.a", ".foo", "a.b.c", "a.b.c(1)", "object.a.b.c()", "__result__", "[1].all(__result__, true)", "[1].all(object, object)", `${"(".repeat(300)}1${")".repeat(300)}`, `${"!".repeat(10)}1`, `object${".a".repeat(300)}`,
];

function policy(expression: string): unknown {
  return {
    apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy", metadata: { name: "probe" },
    spec: { matchConstraints: { resourceRules: [{ operations: ["CREATE"], apiGroups: ["x.example"], apiVersions: ["v9"], resources: ["none"] }] }, validations: [{ expression }] },
  };
}

/** What a server says of expressions that do not compile. */
export const expressionProbes: Topic = {
  name: "expressions",
  probes: expressions.map((expression, at): Probe => ({ id: `${String(at)} ${expression.slice(0, 60)}`, steps: [{ method: "POST", path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All", json: policy(expression) }] })),
};
