type Body = string | Uint8Array<ArrayBuffer>;

const encode = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding));

/** Returns bodies that are not JSON, derived from an event, each with its description. */
export function bodiesThatAreNotJson(event: Readonly<Record<string, unknown>>): [description: string, body: Body][] {
  const text = JSON.stringify(event);
  return [
    ['empty', ''],
    ['white space', ' \n\t '],
    ['a bare word', 'event'],
    ['a form', 'id=evt_1&type=customer.created'],
    ['XML', '<event id="evt_1"/>'],
    ['cut off', text.slice(0, -1)],
    ['cut off in the middle', text.slice(0, text.length / 2)],
    ['with trailing text', `${text}x`],
    ['two events', text + text],
    ['with a trailing comma', text.replace(/\}$/, ',}')],
    ['with single quotes', text.replaceAll('"', "'")],
    ['with a comment', `/* signed */${text}`],
    ['with NaN', text.replace(/"created":\d+/, '"created":NaN')],
    ['with a hexadecimal number', text.replace(/"created":\d+/, '"created":0x10')],
    ['in UTF-16', encode(text, 'utf16le')],
    ['with a byte order mark', `\uFEFF${text}`],
    ['with invalid UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])],
    ['with a truncated UTF-8 sequence', new Uint8Array([...encode(text, 'utf8').slice(0, -2), 0xc3, 0x7d])],
    ['only NUL bytes', new Uint8Array(64)],
  ];
}

/** Returns bodies in JSON that are not valid Stripe events, derived from a valid one, each with its description. */
export function bodiesWithoutSnapshot(event: Readonly<Record<string, unknown>>): [description: string, body: string][] {
  const text = JSON.stringify(event);
  const withObject = (object: unknown) => JSON.stringify({ ...event, data: { object } });
  return [
    ['nested 10,000 times', '['.repeat(10_000) + ']'.repeat(10_000)],
    [
      'with an object nested 10,000 times',
      withObject(0).replace('"object":0', `"object":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
    ],
    ['with an array nested 100 times', withObject({ id: 'x', deep: JSON.parse('['.repeat(100) + ']'.repeat(100)) })],
    ['with NUL in a value', withObject({ id: 'cus_\u0000' })],
    ['with NUL in a key', withObject({ id: 'cus_1', 'a\u0000': 1 })],
    ['with NUL in its type', JSON.stringify({ ...event, type: 'customer.\u0000' })],
    ['with a lone high surrogate', withObject({ id: 'cus_1', name: 'HALF' }).replace('HALF', String.raw`\ud800`)],
    ['with a lone low surrogate', withObject({ id: 'cus_1', name: 'HALF' }).replace('HALF', String.raw`\udc00`)],
    ['with a lone surrogate in a key', withObject({ HALF: 1 }).replace('HALF', String.raw`\ud800`)],
    ...['null', 'true', '1', '"event"', '[]', '{}', '[{}]', `[${text}]`].map((json): [string, string] => [
      `the JSON ${json.slice(0, 8)}`,
      json,
    ]),
    ...invalidFields.map(([name, value]): [string, string] => [
      `with ${name} ${JSON.stringify(value)?.slice(0, 30) ?? 'missing'}`,
      JSON.stringify({ ...event, type: 'customer.updated', data: { object: { id: 'cus_1' } }, [name]: value }),
    ]),
  ];
}

const invalidFields: readonly [name: string, value: unknown][] = [
  ...[undefined, null, '', 7, {}, 'cus_1', 'evt_', 'evt_a b', 'evt_ü', `evt_${'x'.repeat(300)}`].map(
    (value): [string, unknown] => ['id', value],
  ),
  ...[undefined, null, '', 7, [], 'x'.repeat(200)].map((value): [string, unknown] => ['type', value]),
  ...[undefined, null, '', '1700000000', -1, 0.5, 1e300, [1]].map((value): [string, unknown] => ['created', value]),
  ...[undefined, null, [], 'x', {}, { object: null }, { object: 'cus_1' }, { object: [] }].map(
    (value): [string, unknown] => ['data', value],
  ),
  ['livemode', 'true'],
  ['api_version', 'x'.repeat(100)],
];
