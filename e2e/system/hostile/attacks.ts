import { signatureOf } from '@billing/testing/signed-webhooks';
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
import type { Fixtures } from './fixtures.ts';

type Target = Pick<Operation, 'method' | 'path' | 'access'> & Partial<Pick<Operation, 'body' | 'query' | 'example'>>;

/** The hostile part of a request. The other parts are valid, so that the request gets as far as possible. */
type HostilePart = 'nothing' | 'field' | 'body' | 'query' | 'path' | 'headers' | 'everything';

/** Generates requests to one operation, with valid credentials and one hostile part. */
export function attacksOn(target: Target, fixtures: Fixtures): fc.Arbitrary<Attack> {
  const parts: HostilePart[] = ['nothing', 'query', 'path', 'headers', 'everything'];
  const takesBody = target.body !== undefined || target.access.kind === 'signature';
  if (takesBody) parts.push('field', 'field', 'field', 'field', 'field', 'body');
  if (target.query) parts.push('query', 'query');
  return fc.constantFrom(...parts).chain(part => {
    const isHostile = (candidate: HostilePart) => part === candidate || part === 'everything';
    return fc
      .record({
        path: pathOf(target, fixtures, isHostile('path')),
        query: queryOf(target, fixtures, isHostile('query')),
        headers: isHostile('headers') ? hostileHeaders : fc.constant({}),
        body: takesBody ? bodyOf(target, fixtures, part) : isHostile('body') ? hostileBytes : fc.constant(undefined),
        isSigned: fc.boolean().map(it => it || part === 'field'),
      })
      .map(({ path, query, headers, body, isSigned }) => ({
        method: target.method,
        path: path + query,
        body,
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...credentials(target, fixtures, isSigned ? body : undefined),
          ...headers,
        },
      }));
  });
}

function pathOf({ path, method }: Target, fixtures: Fixtures, isHostile: boolean): fc.Arbitrary<string> {
  const segments = path.split('/').map((segment, at, { length }) => {
    if (!segment.startsWith(':')) return fc.constant(segment);
    const valid = fc.constantFrom(...fixtures.values(segment.slice(1), method));
    // An empty last segment is the address of the list.
    const hostile = hostileSegment.filter(it => it !== '' || at < length - 1);
    return isHostile ? fc.oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: hostile }) : valid;
  });
  const extra = isHostile ? fc.constantFrom('', '', '', '/', '//', '/x', '.json', '%20', ';v=1') : fc.constant('');
  return fc.tuple(fc.tuple(...segments), extra).map(([all, end]) => all.join('/') + end);
}

function queryOf({ example }: Target, fixtures: Fixtures, isHostile: boolean): fc.Arbitrary<string> {
  const valid = Object.entries((example?.query ?? {}) as Record<string, string>).map(
    ([name, value]) => [name, encodeURIComponent(String(fixtures.fill(value, 'none')))] as const,
  );
  const text = (pairs: readonly (readonly [string, string])[]) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('&')}`;
  if (!isHostile) return fc.constant(text(valid));
  const names = [...valid.map(([name]) => name), 'limit', 'offset', 'activeOnly', 'growthDays', 'status', 'type'];
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
      arbitrary: pairs.map(odd => text([...valid.filter(([it]) => odd.every(([other]) => other !== it)), ...odd])),
    },
    { weight: 1, arbitrary: pairs.map(odd => text([...valid, ...odd, ...odd])) },
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

function bodyOf(target: Target, fixtures: Fixtures, part: HostilePart): fc.Arbitrary<Buffer> {
  const filled =
    target.access.kind === 'signature'
      ? fc.tuple(fc.constantFrom(...fixtures.events), fc.uuid()).map(([event, unique]) => withNewId(event, unique))
      : fc.uuid().map(unique => fixtures.fill(target.example?.body ?? {}, unique));
  const asJson = (bodies: fc.Arbitrary<unknown>) => bodies.map(body => Buffer.from(jsonText(body)));
  if (part === 'field') return asJson(filled.chain(withOneInvalidField));
  if (part === 'body' || part === 'everything')
    return fc.oneof(hostileBytes, asJson(hostileJson), asJson(filled.chain(withOneInvalidField)));
  return asJson(filled);
}

/** Copies a Stripe event under a new id. */
const withNewId = (event: object, unique: string) => ({ ...event, id: `evt_${unique.replaceAll('-', '')}` });

/** Changes one field of a valid body: replaces, removes or wraps it, or adds another beside it. */
function withOneInvalidField(body: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.constantFrom(...fieldPathsIn(body)),
      fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'wrap'),
    )
    .chain(([fieldPath, change]) => {
      if (change === 'remove') return fc.constant(changed(body, fieldPath, () => []));
      if (change === 'wrap') return fc.constant(changed(body, fieldPath, (name, value) => [[name, [value]]]));
      if (change === 'replace') return hostileJson.map(odd => changed(body, fieldPath, name => [[name, odd]]));
      const extra = fc.tuple(hostileText, hostileJson);
      return extra.map(added => changed(body, fieldPath, (name, value) => [[name, value], added]));
    });
}

/** The keys that lead to a field. */
type FieldPath = readonly string[];

function fieldPathsIn(value: unknown, here: FieldPath = []): FieldPath[] {
  if (typeof value !== 'object' || value === null) return [here];
  const inside = Object.entries(value).flatMap(([name, field]) => fieldPathsIn(field, [...here, name]));
  return here.length === 0 && inside.length > 0 ? inside : [here, ...inside];
}

type Change = (name: string, value: unknown) => (readonly [string, unknown])[];

function changed(value: unknown, [name, ...deeper]: FieldPath, change: Change): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return change('', value)[0]?.[1];
  const entries = Object.entries(value).flatMap(([field, inner]): (readonly [string, unknown])[] => {
    if (field !== name) return [[field, inner]];
    return deeper.length === 0 ? change(field, inner) : [[field, changed(inner, deeper, change)]];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

function credentials({ access }: Target, fixtures: Fixtures, signed: Buffer | undefined): Record<string, string> {
  if (access.kind === 'portal-token') return {};
  if (access.kind === 'project') return { authorization: `Bearer ${fixtures.secret}` };
  if (access.kind !== 'signature') return { cookie: fixtures.cookie };
  if (!signed) return { 'stripe-signature': 't=1,v1=00' };
  return { 'stripe-signature': signatureOf(signed, fixtures.webhookSecret) };
}
