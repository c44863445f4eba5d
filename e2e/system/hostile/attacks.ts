import { createHmac } from 'node:crypto';
import type { Operation } from '@billing/contracts/operation';
import fc from 'fast-check';
import type { Attack } from './send.ts';
import {
  hostileBytes,
  hostileHeader,
  hostileJson,
  hostileQueryValue,
  hostileSegment,
  hostileText,
  jsonText,
} from './values.ts';
import type { World } from './world.ts';

type Target = Pick<Operation, 'method' | 'path' | 'access'> & Partial<Pick<Operation, 'body' | 'query' | 'example'>>;

/** What is wrong with a request; the rest of it is as it should be, so that it comes as far as it can. */
type Weakness = 'nothing' | 'field' | 'body' | 'query' | 'path' | 'headers' | 'everything';

/** Requests to one operation with valid credentials and something hostile in them. */
export function attacksOn(target: Target, world: World): fc.Arbitrary<Attack> {
  const weaknesses: Weakness[] = ['nothing', 'query', 'path', 'headers', 'everything'];
  const takesBody = target.body !== undefined || target.access.kind === 'signature';
  if (takesBody) weaknesses.push('field', 'field', 'field', 'field', 'field', 'body');
  if (target.query) weaknesses.push('query', 'query');
  return fc.constantFrom(...weaknesses).chain(weakness => {
    const is = (...any: Weakness[]) => any.includes(weakness) || weakness === 'everything';
    return fc
      .record({
        path: pathOf(target, world, is('path')),
        query: queryOf(target, world, is('query')),
        headers: is('headers') ? hostileHeaders : fc.constant({}),
        body: takesBody ? bodyOf(target, world, weakness) : is('body') ? hostileBytes : fc.constant(undefined),
        isSigned: fc.boolean().map(it => it || weakness === 'field'),
      })
      .map(({ path, query, headers, body, isSigned }) => ({
        method: target.method,
        path: path + query,
        body,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...credentials(target, world, isSigned ? body : undefined),
          ...headers,
        },
      }));
  });
}

function pathOf({ path, method }: Target, world: World, isHostile: boolean): fc.Arbitrary<string> {
  const segments = path.split('/').map(segment => {
    if (!segment.startsWith(':')) return fc.constant(segment);
    const known = fc.constantFrom(...world.values(segment.slice(1), method));
    return isHostile ? fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: hostileSegment }) : known;
  });
  const extra = isHostile ? fc.constantFrom('', '', '', '/', '//', '/x', '.json', '%20', ';v=1') : fc.constant('');
  return fc.tuple(fc.tuple(...segments), extra).map(([all, end]) => all.join('/') + end);
}

function queryOf({ example }: Target, world: World, isHostile: boolean): fc.Arbitrary<string> {
  const known = Object.entries((example?.query ?? {}) as Record<string, string>).map(
    ([name, value]) => [name, encodeURIComponent(String(world.fill(value, 'none')))] as const,
  );
  const text = (pairs: readonly (readonly [string, string])[]) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')}`;
  if (!isHostile) return fc.constant(text(known));
  const names = [...known.map(([name]) => name), 'limit', 'offset', 'activeOnly', 'growthDays', 'status', 'type'];
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('__proto__', 'limit[]', 'customerId[$ne]', 'a.b', '%00', '', 'constructor'),
    },
    { weight: 1, arbitrary: hostileQueryValue },
  );
  const pairs = fc.array(fc.tuple(name, hostileQueryValue), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    {
      weight: 6,
      arbitrary: pairs.map(odd => text([...known.filter(([it]) => odd.every(([other]) => other !== it)), ...odd])),
    },
    { weight: 1, arbitrary: pairs.map(odd => text([...known, ...odd, ...odd])) },
    { weight: 1, arbitrary: fc.constantFrom('?', '??', '?&', '?=', '?%', '?a=b?c=d', `?${'a=1&'.repeat(2_000)}`) },
  );
}

const OTHER_HEADERS = (
  'idempotency-key x-request-id accept accept-language accept-encoding content-encoding x-http-method-override ' +
  'x-forwarded-for x-forwarded-host x-billing-identity x-tenant-id traceparent tracestate baggage if-none-match ' +
  'if-modified-since range forwarded via x-original-url te expect'
).split(' ');

const CONTENT_TYPES = [
  '',
  'a',
  '*/*',
  'text/plain',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;',
  'application/json\ta',
  'application/json,text/plain',
  'application/jsonp',
  'application/vnd.api+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
];

const hostileHeaders = fc
  .record({
    type: fc.option(fc.constantFrom(...CONTENT_TYPES), { freq: 2 }),
    others: fc.dictionary(
      fc.constantFrom(...OTHER_HEADERS),
      fc.oneof(hostileHeader, fc.constantFrom('gzip', 'identity', '100-continue', 'bytes=0-1', 'DELETE', 'text/html')),
      { maxKeys: 4 },
    ),
  })
  .map(({ type, others }): Record<string, string> => ({ ...(type !== null && { 'content-type': type }), ...others }));

function bodyOf(target: Target, world: World, weakness: Weakness): fc.Arbitrary<Buffer> {
  const filled =
    target.access.kind === 'signature'
      ? fc.tuple(fc.constantFrom(...world.events), fc.uuid()).map(([event, unique]) => asNew(event, unique))
      : fc.uuid().map(unique => world.fill(target.example?.body ?? {}, unique));
  const asJson = (bodies: fc.Arbitrary<unknown>) => bodies.map(body => Buffer.from(jsonText(body)));
  if (weakness === 'field') return asJson(filled.chain(withOneWrongField));
  if (weakness === 'body' || weakness === 'everything')
    return fc.oneof(hostileBytes, asJson(hostileJson), asJson(filled.chain(withOneWrongField)));
  return asJson(filled);
}

/** What the processor said once, as another event. */
const asNew = (event: object, unique: string) => ({ ...event, id: `evt_${unique.replaceAll('-', '')}` });

/** The same but for one field: another value, none, one too many, or one in a list. */
function withOneWrongField(body: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.constantFrom(...placesIn(body)),
      fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'wrap'),
    )
    .chain(([place, change]) => {
      if (change === 'remove') return fc.constant(changed(body, place, () => []));
      if (change === 'wrap') return fc.constant(changed(body, place, (name, value) => [[name, [value]]]));
      if (change === 'replace') return hostileJson.map(odd => changed(body, place, name => [[name, odd]]));
      const extra = fc.tuple(hostileText, hostileJson);
      return extra.map(added => changed(body, place, (name, value) => [[name, value], added]));
    });
}

type Place = readonly string[];

function placesIn(value: unknown, here: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [here];
  const inside = Object.entries(value).flatMap(([name, field]) => placesIn(field, [...here, name]));
  return here.length === 0 && inside.length > 0 ? inside : [here, ...inside];
}

type Change = (name: string, value: unknown) => (readonly [string, unknown])[];

function changed(value: unknown, [name, ...deeper]: Place, change: Change): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return change('', value)[0]?.[1];
  const entries = Object.entries(value).flatMap(([field, inner]): (readonly [string, unknown])[] => {
    if (field !== name) return [[field, inner]];
    return deeper.length === 0 ? change(field, inner) : [[field, changed(inner, deeper, change)]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function credentials({ access }: Target, world: World, signed: Buffer | undefined): Record<string, string> {
  if (access.kind === 'portal-token') return {};
  if (access.kind === 'project') return { authorization: `Bearer ${world.secret}` };
  if (access.kind !== 'signature') return { cookie: world.cookie };
  if (!signed) return { 'stripe-signature': 't=1,v1=00' };
  const at = Math.floor(Date.now() / 1_000);
  const hmac = createHmac('sha256', world.webhookSecret).update(`${at}.`).update(signed).digest('hex');
  return { 'stripe-signature': `t=${at},v1=${hmac}` };
}
