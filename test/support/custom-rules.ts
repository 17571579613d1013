/** Schema of what the rules below are about. */
export const ruleSchema = {
  type: "object",
  properties: {
    i: { type: "integer" },
    j: { type: "integer" },
    d: { type: "number" },
    s: { type: "string", maxLength: 100 },
    t: { type: "string", maxLength: 100 },
    b: { type: "boolean" },
    when: { type: "string", format: "date-time" },
    lasts: { type: "string", format: "duration" },
    bytes: { type: "string", format: "byte", maxLength: 100 },
    port: { "x-kubernetes-int-or-string": true, maxLength: 50 },
    list: { type: "array", maxItems: 10, items: { type: "integer" } },
    texts: { type: "array", maxItems: 10, items: { type: "string", maxLength: 50 } },
    set: { type: "array", maxItems: 10, "x-kubernetes-list-type": "set", items: { type: "string", maxLength: 50 } },
    map: { type: "object", maxProperties: 10, additionalProperties: { type: "string", maxLength: 50 } },
    items: {
      type: "array", maxItems: 10, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: { type: "string", maxLength: 50 }, value: { type: "integer" } } },
    },
    nested: { type: "object", properties: { "with-dash": { type: "string", maxLength: 50 }, "namespace": { type: "string", maxLength: 50 }, in: { type: "integer" }, deep: { type: "object", properties: { x: { type: "integer" } } } } },
  },
} as const;

/** Rules as they are written for real resources, and odd ones: some do not compile. */
export const rulesOfCustomResources: readonly string[] = [
  "self.i > 0", "self.i >= self.j", "self.i + self.j == 10", "self.i * 2 < 100", "self.i / self.j > 1", "self.i % 2 == 0", "-self.i < 0",
  "self.d > 0.5", "self.d == 1.0", "self.d < double(self.i)", "int(self.d) == 1", "self.d > 1", "self.i > 1.5", "self.d + 1 > 2.0",
  "self.s == 'abc'", "self.s.startsWith('a')", "self.s.endsWith('c')", "self.s.contains('b')", "self.s.matches('^[a-z]+$')", "self.s.matches('(')", "size(self.s) < 4", "self.s.size() == 3",
  "self.s.lowerAscii() == self.t.lowerAscii()", "self.s.upperAscii() == 'ABC'", "self.s.trim() == self.s", "self.s.replace('a', 'b') == 'bbc'", "self.s.replace('a', 'b', 1) == 'bbc'", "self.s.split(',').size() == 1", "self.s.split('')[0] == 'a'", "self.s.substring(1) == 'bc'", "self.s.substring(0, 1) == 'a'", "self.s.charAt(0) == 'a'", "self.s.indexOf('b') == 1", "self.s.lastIndexOf('b') == 1", "self.s.reverse() == 'cba'", "self.s + self.t == 'abcABC'", "self.s < self.t", "[self.s, self.t].join('-') == 'abc-ABC'", "'%s-%d'.format([self.s, self.i]) == 'abc-5'", "strings.quote(self.s) == '\"abc\"'",
  "self.b", "!self.b", "self.b && self.i > 0", "self.b || self.i > 0", "self.b ? self.i > 0 : self.j > 0", "self.b == true", "self.b == 'true'", "self.i == 'a'", "self.i in [1, 2, 5]", "self.s in ['abc', 'def']", "'abc' in self.map", "self.s in self.map", "'a' in self.texts", "self.i in self.list", "self.i in self.texts",
  "has(self.i)", "has(self.nope)", "!has(self.i) || self.i > 0", "has(self.map.a)", "has(self.nested.deep.x)", "has(self.nested) && has(self.nested.deep)", "self.nested.with__dash__ == 'x'", "self.nested.__namespace__ == 'ns'", "self.nested.namespace == 'ns'", "self.nested.__in__ == 1", "self.?i.orValue(3) > 2", "self.?nested.?deep.?x.hasValue()", "self.?nested.?deep.?x.orValue(0) == 1", "optional.of(self.i).value() == 5", "optional.none().hasValue()", "self.?i.optMap(v, v * 2).orValue(0) == 10", "self.map[?'a'].orValue('') == '1'", "self.list[?0].orValue(0) == 1", "self.nope == 1", "self.nested.nope == 1",
  "self.list.all(x, x > 0)", "self.list.exists(x, x == 3)", "self.list.exists_one(x, x == 3)", "self.list.map(x, x * 2).sum() == 12", "self.list.map(x, x > 1, x * 2).size() == 2", "self.list.filter(x, x > 1).size() == 2", "self.list.all(i, x, i < x)", "self.list.transformList(i, x, i + x).sum() == 9", "self.list.isSorted()", "self.list.sum() == 6", "self.list.min() == 1", "self.list.max() == 3", "self.list.indexOf(2) == 1", "self.list.lastIndexOf(2) == 1", "self.list[0] == 1", "self.list[5] == 1", "self.list + [4] == [1, 2, 3, 4]", "self.list == [1, 2, 3]", "self.list.slice(0, 1) == [1]", "self.list.reverse() == [3, 2, 1]", "self.list.sort() == self.list", "self.list.distinct() == self.list", "lists.range(3) == [0, 1, 2]", "[[1], [2]].flatten() == [1, 2]", "self.texts.isSorted()", "self.texts.all(t, t.matches('^[a-z]$'))", "self.texts.join(',') == 'a,b'", "self.set == ['b', 'a']", "self.set + ['c'] == ['c', 'a', 'b']", "self.list.exists(x, self.texts.exists(t, t == string(x)))", "sets.contains(self.list, [1, 2])", "sets.equivalent(self.list, [3, 2, 1])", "sets.intersects(self.list, [3])",
  "self.map.all(k, self.map[k] != '')", "self.map.exists(k, k == 'a')", "self.map.size() == 1", "self.map['a'] == '1'", "self.map.a == '1'", "self.map == {'a': '1'}", "self.map.all(k, v, k != v)", "self.map.transformMap(k, v, v + '!')['a'] == '1!'", "self.map.map(k, k).isSorted()",
  "self.items.all(e, e.value > 0)", "self.items.exists(e, e.name == 'one')", "self.items.all(e, has(e.value))", "self.items.map(e, e.name) == ['one', 'two']", "self.items.filter(e, e.name == 'one').all(e, e.value == 1)", "self.items.all(e, self.items.exists_one(f, f.name == e.name))", "self.items[0].name == 'one'", "self.items.size() <= 2", "self.items.sortBy(e, e.value)[0].name == 'one'",
  "self.when > timestamp('2020-01-01T00:00:00Z')", "self.when.getFullYear() == 2024", "self.when.getMonth() == 0", "self.when.getDayOfWeek('Europe/Berlin') == 1", "self.when + duration('1h') > self.when", "self.when - timestamp('2024-01-01T00:00:00Z') < duration('48h')", "string(self.when) == '2024-01-02T03:04:05Z'", "self.when == '2024-01-02T03:04:05Z'", "self.lasts < duration('2h')", "self.lasts.getMinutes() == 60", "self.lasts == '1h'", "duration('1h') == duration('60m')", "duration('nope') == duration('1s')", "timestamp('nope') == timestamp('2020-01-01T00:00:00Z')",
  "type(self.port) == int ? self.port > 0 : self.port == '80'", "type(self.port) == string", "self.port == 80", "self.port > 0", "self.port == '80' || self.port == 80", "string(self.port) == '80'", "int(self.port) == 80", "self.bytes == b'abc'", "size(self.bytes) == 3", "string(self.bytes) == 'abc'", "base64.encode(self.bytes) == 'YWJj'",
  "quantity('1Gi').isGreaterThan(quantity('1G'))", "quantity(self.s).isInteger()", "isQuantity(self.s)", "quantity('500m').add(quantity('500m')) == quantity('1')", "quantity('1k').asInteger() == 1000", "quantity('1.5').asApproximateFloat() == 1.5", "quantity('1').compareTo(quantity('2')) == -1", "sign(quantity('-1')) == -1", "sign(quantity('1').sub(1)) == 0", "quantity('1').sign() == 1",
  "isIP(self.t)", "ip('10.0.0.1').family() == 4", "ip('fe80::1').isLinkLocalUnicast()", "ip.isCanonical('::1')", "cidr('10.0.0.0/8').containsIP('10.1.1.1')", "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", "cidr('10.0.0.0/8').prefixLength() == 8", "cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8')", "isCIDR('10.0.0.0/33')", "isURL(self.s)", "url('https://a.b:80/c?d=e').getHost() == 'a.b:80'", "url('https://a.b:80/c?d=e').getHostname() == 'a.b'", "url('https://a.b:80/c?d=e').getPort() == '80'", "url('https://a.b/c?d=e').getQuery()['d'] == ['e']", "url('https://a.b/c').getEscapedPath() == '/c'", "semver('1.2.3').isLessThan(semver('1.10.0'))", "isSemver('v1.0.0')", "semver('v1.0', true).major() == 1",
  "format.dns1123Label().validate(self.s).hasValue()", "!format.named('uuid').value().validate(self.s).hasValue()", "format.named('nope').hasValue()", "self.s.find('[a-b]+') == 'ab'", "self.s.findAll('[a-c]') == ['a', 'b', 'c']", "self.s.findAll('[a-c]', 2) == ['a', 'b']", "self.s.matches('^(a+)+$')", "self.s.matches(r'\\w+')", "self.s.matches('(?i)ABC')", "self.s.matches('a(?=b)')",
  "math.greatest(self.i, self.j) == 5", "math.least([1, 2]) == 1", "math.ceil(1.2) == 2.0", "math.abs(-1) == 1", "int('5') == self.i", "int(self.s) == 1", "uint(self.i) == 5u", "1u + 1u == 2u", "1 + 1u == 2u", "double('1.5') == 1.5", "string(1.0) == '1'", "bool('true')", "dyn(self.i) == 5", "type(self.i) == int", "type(self.d) == double", "9223372036854775807 + 1 > 0", "1 / 0 == 1", "1.0 / 0.0 > 1.0", "7 / 2 == 3", "-7 / 2 == -3", "-7 % 3 == -1", "1 == 1.0", "dyn(1) == dyn(1.0)", "null == null", "self.i == null", "self.i != null", "'a' == \"a\"", "'''a''' == 'a'", "r'\\d' == '\\\\d'", "b'abc' == bytes('abc')", "0x10 == 16", "1e3 == 1000.0", "[1, 'a'].size() == 2", "{'a': 1}.a == 1", "{'a': 1, 'b': 'c'}.size() == 2", "[].size() == 0", "{}.size() == 0", "true ? self.b : false", "cel.bind(x, self.i + 1, x * x == 36)", "[1, 2, 3].all(x, x > 0) && !false",
  "self.metadata.name == 'x'", "self == self", "self.nested == self.nested", "oldSelf == self", "oldSelf.i <= self.i", "unknown == 1", "self.i.nope()", "nope(self.i)", "self.", "self.i >", "'abc", "self.i = 5", "self.s.size() > 0 &&", "1", "'a'", "self.i", "self.s", "authorizer.path('/x').check('get').allowed()", "self.s.startsWith(self.i)", "self.list.all(x, x.startsWith('a'))", "self.texts.all(x, x > 1)", "self.i + self.s == 'a'", "self.i + self.d > 1.0", "self.s > self.i", "self.list + self.texts == []", "self.list.map(x, 'a').sum() > 1", "self.texts.sum() > 1", "self.texts.map(t, size(t)).max() == 1", "!self.i", "-self.s == 'a'", "self.b ? 1 : 'a'", "(self.b ? self.i : self.j) == 5", "size(self.i) == 1", "self.map.exists(k, v, k == v)", "self.map.nope == 'a'", "self.list['a'] == 1", "self.map[1] == 'a'", "self[1] == 1", "self['i'] == 5",
];

/** What the rules are held against. */
export const ruleObjects: readonly object[] = [
  {
    i: 5, j: 2, d: 1.5, s: "abc", t: "ABC", b: true, when: "2024-01-02T03:04:05Z", lasts: "1h", bytes: "YWJj", port: 80, list: [1, 2, 3], texts: ["a", "b"], set: ["a", "b"], map: { a: "1" },
    items: [{ name: "one", value: 1 }, { name: "two", value: 2 }], nested: { "with-dash": "x", namespace: "ns", in: 1, deep: { x: 1 } },
  },
  {
    i: -3, j: 0, d: 1, s: "1k", t: "10.0.0.1", b: false, when: "2019-12-31T23:59:59.5Z", lasts: "90m", bytes: "AA==", port: "80", list: [3, 1, 1], texts: ["b", "a", "c"], set: ["b"], map: { b: "b", abc: "" },
    items: [{ name: "two", value: -2 }], nested: { deep: {} },
  },
  {},
  { i: 0, j: 0, d: 0, s: "", t: "", b: false, list: [], texts: [], set: [], map: {}, items: [], nested: {} },
];
