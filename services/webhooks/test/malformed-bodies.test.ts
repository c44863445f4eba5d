import { afterAll, beforeAll, expect, it } from 'vitest';
import { aCustomer, anEvent, sign, startService, type Service, type Team } from './service.ts';

let service: Service;
let team: Team;

beforeAll(async () => {
  service = await startService({ working: false });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const post = (bytes: string | Buffer) => service.post(team.teamId, bytes, sign(bytes, team.webhookSecret));
const countEvents = async () =>
  Number((await service.admin.query('select count(*) from webhooks.webhook_events')).rows[0].count);

const valid = anEvent('customer.updated', aCustomer());
const text = JSON.stringify(valid);
/** The event with other fields; `undefined` leaves one out. */
const but = (changes: object) => JSON.stringify({ ...valid, ...changes });
const about = (object: unknown) => but({ data: { object } });
/** The event with a piece of JSON that `JSON.stringify` would not write. */
const withRaw = (raw: string) => text.replace('"ada@example.com"', raw);
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const nestedObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const MALFORMED: readonly (readonly [string, string | Buffer])[] = [
  ['nothing', ''],
  ['white space', ' \n\t '],
  ['a cut in the middle', text.slice(0, text.length / 2)],
  ['a cut before the last brace', text.slice(0, -1)],
  ['something after the event', `${text}x`],
  ['two events', text + text],
  ['two events on two lines', `${text}\n${text}`],
  ['a comment', `/* an event */${text}`],
  ['a comma too many', text.replace(/\}$/, ',}')],
  ['single quotes', text.replaceAll('"', "'")],
  ['names without quotes', text.replace('"id"', 'id')],
  ['a line break inside a string', withRaw('"a\nb"')],
  ['a control character inside a string', withRaw('"a\u0001b"')],
  ['NaN', withRaw('NaN')],
  ['Infinity', withRaw('-Infinity')],
  ['undefined', withRaw('undefined')],
  ['a number with a leading zero', withRaw('012')],
  ['a hexadecimal number', withRaw('0x1f')],
  ['an escape there is not', withRaw('"\\x41"')],
  ['half an escape', withRaw('"\\u12"')],
  ['a form', 'id=evt_1&type=customer.updated'],
  ['XML', '<event><id>evt_1</id></event>'],
  ['a byte order mark', `\ufeff${text}`],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ['UTF-16', Buffer.from(text, 'utf16le')],
  ['Latin-1', Buffer.from(withRaw('"é"'), 'latin1')],
  ['UTF-8 that is longer than it may be', Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xc0, 0x80])])],
  ['UTF-8 cut inside a character', Buffer.from(withRaw('"é"')).subarray(0, -3)],
  ['compressed bytes', Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00])],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a string', '"evt_1"'],
  ['an array', '[]'],
  ['an event in an array', `[${text}]`],
  ['an empty object', '{}'],
  ['no id', but({ id: undefined })],
  ['null for an id', but({ id: null })],
  ['a number for an id', but({ id: 1 })],
  ['an empty id', but({ id: '' })],
  ['an id of another kind', but({ id: 'cus_1' })],
  ['an id with a space', but({ id: 'evt_1 2' })],
  ['an id that leads elsewhere', but({ id: 'evt_../../x' })],
  ['an id of 10,000 characters', but({ id: `evt_${'a'.repeat(10_000)}` })],
  ['no type', but({ type: undefined })],
  ['null for a type', but({ type: null })],
  ['an empty type', but({ type: '' })],
  ['a list for a type', but({ type: ['customer.updated'] })],
  ['a type of 10,000 characters', but({ type: 'a'.repeat(10_000) })],
  ['a type with NUL', but({ type: 'customer.updated\u0000' })],
  ['no time', but({ created: undefined })],
  ['a time in words', but({ created: 'now' })],
  ['a time with a fraction', but({ created: 1.5 })],
  ['a time before 1970', but({ created: -1 })],
  ['a time that is no time', but({ created: 1e300 })],
  ['a version that is none', but({ api_version: 7 })],
  ['words for the mode', but({ livemode: 'yes' })],
  ['no data', but({ data: undefined })],
  ['no object', but({ data: {} })],
  ['null for an object', about(null)],
  ['a string for an object', about('cus_1')],
  ['a list for an object', about([])],
  ['words for what was before', but({ data: { object: aCustomer(), previous_attributes: 'x' } })],
  ['NUL', about({ id: 'cus_\u0000' })],
  ['NUL in a name', about({ 'a\u0000': 1 })],
  ['NUL outside of the object', but({ request: { id: '\u0000' } })],
  ['the first half of a surrogate pair', withRaw('"\\ud800"')],
  ['the second half of a surrogate pair', withRaw('"\\udfff"')],
  ['half a surrogate pair in a name', withRaw('{"\\ud800":1}')],
  ['10,000 lists in each other', withRaw(nested(10_000))],
  ['10,000 objects in each other', withRaw(nestedObjects(10_000))],
  ['100,000 lists that never end', withRaw('['.repeat(100_000))],
];

it.each(MALFORMED)('is no event with %s, and leaves no row', async (_what, bytes) => {
  const before = await countEvents();
  const response = await post(bytes);
  expect([response.statusCode, response.json().error.code]).toEqual([400, 'invalid_event']);
  expect(await countEvents()).toBe(before);
});

it.each([
  ['white space around it', (body: string) => `\n ${body} \n`],
  ['escaped letters', (body: string) => body.replace('"ada@', '"\\u0061da@')],
  ['a whole surrogate pair', (body: string) => body.replace('"ada@', '"😀@')],
  ['a name twice', (body: string) => body.replace('{', '{"object":"twice",')],
  ['a name that means something to JavaScript', (body: string) => body.replace('{', '{"__proto__":{"id":"x"},')],
  ['fields that are newer than we are', (body: string) => body.replace('{', '{"context":{"a":[1,2]},')],
  ['forty levels', (body: string) => body.replace('"ada@example.com"', nested(40))],
])('is an event all the same with %s', async (_what, change) => {
  const event = anEvent('customer.updated', aCustomer(team.projectId));
  const response = await post(change(JSON.stringify(event)));
  expect([response.statusCode, response.json()]).toEqual([200, { received: true }]);
  expect((await post(JSON.stringify(event))).json()).toEqual({ received: true, duplicate: true });
});
