import { signatureOf } from '@billing/testing/signed-webhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { customerUpdated, newStripeCustomer } from './stripe-events.ts';

let service: WebhooksService;
let team: Team;

beforeAll(async () => {
  service = await startWebhooks({ run: false });
  team = await service.newTeam();
});
afterAll(() => service[Symbol.asyncDispose]());

const post = (bytes: string | Buffer) => service.post(team.teamId, bytes, signatureOf(bytes, team.webhookSecret));
const countEvents = async () => (await service.list(team)).pagination.total;

const valid = customerUpdated();
const text = JSON.stringify(valid);
/** The event with other fields; `undefined` removes one. */
const withFields = (changes: object) => JSON.stringify({ ...valid, ...changes });
const withObject = (object: unknown) => withFields({ data: { object } });
/** The event with a piece of JSON that `JSON.stringify` would not write. */
const withRaw = (raw: string) => text.replace('"ada@example.com"', raw);
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const nestedObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const NOT_JSON: readonly (readonly [string, string | Buffer])[] = [
  ['an empty body', ''],
  ['white space', ' \n\t '],
  ['a bare word', 'event'],
  ['NUL bytes', Buffer.alloc(64)],
  ['an event cut in the middle', text.slice(0, text.length / 2)],
  ['an event without its last brace', text.slice(0, -1)],
  ['a character after the event', `${text}x`],
  ['two events', text + text],
  ['two events on two lines', `${text}\n${text}`],
  ['a comment', `/* an event */${text}`],
  ['a trailing comma', text.replace(/\}$/, ',}')],
  ['single quotes', text.replaceAll('"', "'")],
  ['names without quotes', text.replace('"id"', 'id')],
  ['a line break inside a string', withRaw('"a\nb"')],
  ['a control character inside a string', withRaw('"a\u0001b"')],
  ['NaN', withRaw('NaN')],
  ['Infinity', withRaw('-Infinity')],
  ['undefined', withRaw('undefined')],
  ['a number with a leading zero', withRaw('012')],
  ['a hexadecimal number', withRaw('0x1f')],
  ['an unknown escape', withRaw('"\\x41"')],
  ['half an escape', withRaw('"\\u12"')],
  ['a form', 'id=evt_1&type=customer.updated'],
  ['XML', '<event><id>evt_1</id></event>'],
  ['a byte order mark', `\ufeff${text}`],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ['UTF-16', Buffer.from(text, 'utf16le')],
  ['Latin-1', Buffer.from(withRaw('"é"'), 'latin1')],
  ['overlong UTF-8', Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xc0, 0x80])])],
  ['UTF-8 cut inside a character', Buffer.from(withRaw('"é"')).subarray(0, -3)],
  ['compressed bytes', Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00])],
  ['100,000 unclosed lists', withRaw('['.repeat(100_000))],
];

/** Signed JSON that shows no state of an object. */
const NO_SNAPSHOT: readonly (readonly [string, string])[] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '1'],
  ['a string', '"evt_1"'],
  ['an array', '[]'],
  ['an event in an array', `[${text}]`],
  ['an empty object', '{}'],
  ['an object of another type', withFields({ object: 'v2.core.event_destination' })],
  ['a number for an account', withFields({ account: 1 })],
  ['no id', withFields({ id: undefined })],
  ['null for an id', withFields({ id: null })],
  ['a number for an id', withFields({ id: 1 })],
  ['an empty id', withFields({ id: '' })],
  ['the id of a customer', withFields({ id: 'cus_1' })],
  ['an id with a space', withFields({ id: 'evt_1 2' })],
  ['an id with a path', withFields({ id: 'evt_../../x' })],
  ['an id with an umlaut', withFields({ id: 'evt_ü' })],
  ['an id of 10,000 characters', withFields({ id: `evt_${'a'.repeat(10_000)}` })],
  ['no type', withFields({ type: undefined })],
  ['null for a type', withFields({ type: null })],
  ['an empty type', withFields({ type: '' })],
  ['a list for a type', withFields({ type: ['customer.updated'] })],
  ['a type of 10,000 characters', withFields({ type: 'a'.repeat(10_000) })],
  ['a type with NUL', withFields({ type: 'customer.updated\u0000' })],
  ['no time', withFields({ created: undefined })],
  ['a string for a time', withFields({ created: 'now' })],
  ['a time with a fraction', withFields({ created: 1.5 })],
  ['a time before 1970', withFields({ created: -1 })],
  ['a time too far in the future', withFields({ created: 1e300 })],
  ['a number for a version', withFields({ api_version: 7 })],
  ['a version of 100 characters', withFields({ api_version: 'x'.repeat(100) })],
  ['a string for livemode', withFields({ livemode: 'yes' })],
  ['no data', withFields({ data: undefined })],
  ['no object', withFields({ data: {} })],
  ['no object, of a type that is not handled', withFields({ type: 'payout.paid', data: {} })],
  ['null for an object', withObject(null)],
  ['a string for an object', withObject('cus_1')],
  ['a list for an object', withObject([])],
  ['a string for previous attributes', withFields({ data: { object: newStripeCustomer(), previous_attributes: 'x' } })],
  ['NUL', withObject({ id: 'cus_\u0000' })],
  ['NUL in a name', withObject({ 'a\u0000': 1 })],
  ['NUL outside of the object', withFields({ request: { id: '\u0000' } })],
  ['the first half of a surrogate pair', withRaw('"\\ud800"')],
  ['the second half of a surrogate pair', withRaw('"\\udfff"')],
  ['half a surrogate pair in a name', withRaw('{"\\ud800":1}')],
  ['100 nested lists', withRaw(nested(100))],
  ['10,000 nested lists', withRaw(nested(10_000))],
  ['10,000 nested objects', withRaw(nestedObjects(10_000))],
];

it.each(NOT_JSON)('rejects %s, and stores nothing', async (_what, bytes) => {
  const before = await countEvents();
  const response = await post(bytes);
  expect([response.status, response.body.error.code]).toEqual([400, 'invalid_event']);
  expect(await countEvents()).toBe(before);
});

it.each(NO_SNAPSHOT)('accepts %s, records once that it is ignored, and keeps nothing of it', async (_what, bytes) => {
  const other = await service.newTeam();
  const postIt = () => service.post(other.teamId, bytes, signatureOf(bytes, other.webhookSecret));
  expect([await postIt(), await postIt()].map(({ status, body }) => [status, body])).toEqual([
    [200, { received: true }],
    [200, { received: true, duplicate: true }],
  ]);
  const { webhookEvents } = await service.list(other);
  expect(webhookEvents).toMatchObject([
    {
      id: expect.stringMatching(/^evt_/),
      status: 'ignored',
      projectId: null,
      error: expect.stringMatching(/^no_snapshot: ./),
    },
  ]);
  expect(
    await service.sql('select 1 from webhook_events where payload is not null and team_id = ?', [other.teamId]),
  ).toEqual([]);
});

it.each(['v1.customer.updated', 'v2.core.account.created'])(
  'records a thin notification of %s by its own id and time',
  async type => {
    const thin = {
      id: `evt_test_${type.replaceAll('.', '')}`,
      object: 'v2.core.event',
      type,
      livemode: false,
      created: '2026-11-26T12:00:00.000Z',
      related_object: { id: 'cus_thin', type: 'customer', url: '/v1/customers/cus_thin' },
    };
    expect((await service.send(team, thin)).body).toEqual({ received: true });
    expect((await service.send(team, thin)).body).toEqual({ received: true, duplicate: true });
    expect(await service.recordOf(team, thin.id)).toMatchObject({
      type,
      status: 'ignored',
      objectId: 'cus_thin',
      error: 'no_snapshot: a thin notification',
      processorCreatedAt: '2026-11-26T12:00:00.000Z',
    });
  },
);

it.each([
  ['white space around it', (body: string) => `\n ${body} \n`],
  ['escaped letters', (body: string) => body.replace('"ada@', '"\\u0061da@')],
  ['a whole surrogate pair', (body: string) => body.replace('"ada@', '"😀@')],
  ['a name twice', (body: string) => body.replace('{', '{"object":"twice",')],
  ['a name that is special in JavaScript', (body: string) => body.replace('{', '{"__proto__":{"id":"x"},')],
  ['unknown fields', (body: string) => body.replace('{', '{"context":{"a":[1,2]},')],
  ['forty nested levels', (body: string) => body.replace('"ada@example.com"', nested(40))],
])('accepts an event with %s', async (_what, change) => {
  const event = customerUpdated(team.projectId);
  const response = await post(change(JSON.stringify(event)));
  expect([response.status, response.body]).toEqual([200, { received: true }]);
  expect((await post(JSON.stringify(event))).body).toEqual({ received: true, duplicate: true });
});
