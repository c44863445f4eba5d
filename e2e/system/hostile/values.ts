import fc from 'fast-check';

/** Marks a JSON token that `jsonText` writes verbatim, such as `-0` or `NaN`. */
const verbatim = (token: string): string => `\u{e000}${token}\u{e001}`;

/** Returns JSON in which marked tokens are written verbatim. */
export const jsonText = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replaceAll(/"\u{e000}([^"\u{e001}]*)\u{e001}"/gu, '$1');

const words = (text: string): string[] => text.split(' ');
const numbers = (text: string): number[] => words(text).map(Number);

const LENGTHS = numbers('39 40 41 120 121 128 250 251 254 255 256 257 500 501 2048 2049 5000 5001 100000');

const ODD_STRINGS = [
  '',
  ' ',
  '\t\n',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\udc00\ud800',
  '\u0001\u001f\u007f\u0080',
  '\r\nX-Evil: 1',
  '\ufeffbom',
  '\ufffe\uffff',
  '\u{10ffff}',
  '\u202eevil',
  '\u2028\u2029',
  'e\u0301'.repeat(60),
  'pc_\u0000aaaaaaaaaaaaaaaaaaaaaa',
  "' OR 1=1 --",
  '"; drop table customers; --',
  'https://h.example/ x',
  '"x y"@example.com',
  'a@b.co\u0000',
  ...words(
    'İıſK ß ﷺ 👩‍👩‍👧‍👦 x@\u0130.com ａ@ｅ.com a@b a@b.co A@B.CO $1 :id ? ${7*7} {{7*7}} %00 % %s%n ../../etc <script>',
  ),
  ...words('__proto__ constructor prototype toString hasOwnProperty then null undefined NaN true -0 1e21'),
  ...words(
    'http:// javascript:alert(1) https://u:p@h.example https://[::1 //h https://h.example/{CHECKOUT_SESSION_ID}',
  ),
  ...words('https://例え.jp/パス?ク=1#f http://h.example:99999 [a] a[b] a.b metadata[x] AAAAAAAA pc_'),
  ...words('2026-02-30T00:00:00Z 9999-12-31T23:59:59.999Z +275760-09-13T00:00:00.001Z 0000-01-01T00:00:00Z'),
  ...words('usd USD jpy xxx ｕｓｄ week one_time payment products:read owner paid failed'),
  ...words('sk_test_invalid_0000 sk_live_x pk_live_x whsec_'),
  ...['pc', 'pp', 'pri', 'ps'].flatMap(kind => [20, 64, 65].map(length => `${kind}_${'a'.repeat(length)}`)),
  ...LENGTHS.map(length => 'a'.repeat(length)),
  ...numbers('41 251 257 501').map(length => '𝒳'.repeat(length)),
  `https://h.example/${'a'.repeat(2_030)}`,
  `${'a'.repeat(300)}@example.com`,
];

const ODD_NUMBERS = numbers(
  '-1 0 1 1.5 36 37 365 366 730 731 1095 1096 999999 1000000 99999999 100000000 604800001 2592000000 2592000001 ' +
    '2147483647 2147483648 4294967296 9007199254740991 9007199254740992 9223372036854775808 1e21 5e-324',
);

const ODD_TOKENS = words("-0 1e308 1e309 -1e309 9007199254740993 1.0 1E2 0.1e1 NaN Infinity 01 'a'");

/** Nests arrays or objects, deep enough to overflow a recursive parser. */
function nested(depth: number, kind: 'array' | 'object'): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = kind === 'array' ? [value] : { a: value };
  return value;
}

const ownProto = (value: unknown): unknown => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`);

/** Texts that may break some layer. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_STRINGS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }) },
);

const hostileNumber = fc.oneof(
  fc.constantFrom<unknown>(...ODD_NUMBERS, ...ODD_TOKENS.map(verbatim)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
);

const hostileRecord = fc.oneof(
  fc.dictionary(hostileText, hostileText, { maxKeys: 5 }),
  fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), fc.string({ maxLength: 20 }), { minKeys: 44, maxKeys: 52 }),
);

/** JSON values, mostly hostile ones. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  { weight: 3, arbitrary: hostileNumber },
  { weight: 2, arbitrary: hostileRecord },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [0, 'a'], { length: -1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      nested(100, 'array'),
      nested(100, 'object'),
      ownProto({ isActive: false }),
      ownProto(null),
      { constructor: { prototype: { isActive: false } } },
      { toString: 'x', valueOf: 'y', toJSON: 'z' },
      { $ne: null },
      { 'metadata[teamId]': 'x' },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

const ODD_BODIES = [
  '',
  ' ',
  '{}\u0000',
  '\ufeff{}',
  ...words(
    '{ } {] null " [] "" 0 {"a":1}{"b":2} {"a":1,} {\'a\':1} {"name":"a","name":"b"} {"a":"\\u0000"} {"a":"\\ud800"}',
  ),
  '{"__proto__":{"isAdmin":true}}',
  '['.repeat(100_000),
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  `{"name":"${'a'.repeat(1_000_000)}"}`,
  `{"name":"${'a'.repeat(1_100_000)}"}`,
  `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
].map(text => Buffer.from(text));

/** Bodies that are not valid JSON, or barely. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(
    ...ODD_BODIES,
    Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    Buffer.from('{"name":"\u00ff"}', 'latin1'),
    Buffer.from([0xed, 0xa0, 0x80]),
  ),
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
);

const ODD_SEGMENTS = [
  '',
  ...words(
    '. .. %2e%2e %2E %00 % %zz %ff %c0%af %ed%a0%80 a%2Fb %5c ;a=1 * %25 %2500 %E2%80%AE \' " %0d%0aX:1 __proto__',
  ),
  ...words('constructor null -1 1e308 {} [] $ne %F0%9D%92%B3 pc_aaaaaaaaaaaaaaaaaaaaaaaa%00 AAAAAAA%C3%84'),
  ...[200, 3_000, 9_000, 20_000].map(length => 'a'.repeat(length)),
  `pc_${'a'.repeat(300)}`,
];

/** Path segments, as sent over the wire. */
export const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...ODD_SEGMENTS),
  hostileText.map(text => encodeURIComponent(text.toWellFormed())),
);

const ODD_QUERY_VALUES = [
  ...words('+ %20 -0 0 1e3 0x10 1.5 01 9999999999999999 99999999999999999 2147483648 -1 TRUE %D9%A3'),
  // Raw bytes, which HTTP clients would percent-encode.
  Buffer.from('٣é').toString('latin1'),
];

/** Query values, as sent over the wire. */
export const hostileQueryValue: fc.Arbitrary<string> = fc.oneof(
  hostileSegment.filter(segment => segment.length < 10_000),
  fc.constantFrom(...ODD_QUERY_VALUES),
);

/** Header values, without bytes that end a header. */
export const hostileHeader: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\t',
    ',',
    ';',
    '""',
    'a'.repeat(256),
    'a'.repeat(8_000),
    'é',
    '\u0080\u00ff',
    '%00',
    '__proto__',
    '0',
    '-1',
  ),
  // eslint-disable-next-line no-control-regex -- bytes that HTTP forbids in a header value
  hostileText.map(text =>
    Buffer.from(text)
      .toString('latin1')
      .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')
      .slice(0, 4_000),
  ),
);
