import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BillingError, type Entitlements } from '../src/index.ts';
import { startStateServer, type Fault } from './state-server.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const FAULTS: readonly Exclude<Fault, 'never' | undefined>[] = ['drop', 'break off', 500, 503, 429, 'page'];

const given = (value: boolean | number | string, until: number | null = null) => ({
  value,
  until: until === null ? null : new Date(until).toISOString(),
});

describe('what a customer may use', () => {
  it('is a yes or no, a value, and a limit', async () => {
    await using service = await startStateServer();
    service.server.entitlements = {
      sso: given(true),
      seats: { ...given(5), type: 'limit' },
      projects: { ...given('unlimited'), type: 'limit' },
      exports: { ...given(0), type: 'limit' },
      support: { ...given('priority'), type: 'value' },
    };
    const entitlements = await service.entitlements('pc_1');
    expect(entitlements.status).toBe('current');
    const keys = ['sso', 'seats', 'projects', 'exports', 'support', 'other', 'constructor'];
    expect(keys.map(key => [key, entitlements.check(key), entitlements.allows(key), entitlements.value(key)])).toEqual([
      ['sso', 'yes', true, true],
      ['seats', 'yes', true, 5],
      ['projects', 'yes', true, 'unlimited'],
      ['exports', 'no', false, 0],
      ['support', 'yes', true, 'priority'],
      ['other', 'no', false, null],
      ['constructor', 'no', false, null],
    ]);
    expect(['seats', 'projects', 'exports', 'other'].map(key => entitlements.limit(key))).toEqual([5, Infinity, 0, 0]);
    expect(() => entitlements.limit('support')).toThrow(TypeError);
    expect(Object.keys(entitlements.state?.entitlements ?? {})).toHaveLength(5);
  });

  it('is read once by concurrent requests, and by each customer’s own path', async () => {
    await using service = await startStateServer();
    await Promise.all(Array.from({ length: 20 }, () => service.entitlements('pc_1')));
    await service.entitlements({ externalId: 'user 1' });
    expect(service.server.received.map(({ url }) => url)).toEqual([
      '/customers/pc_1/state',
      '/customers/external/user%201/state',
    ]);
  });

  it('is kept for 30 seconds, then confirmed by its tag', async () => {
    await using service = await startStateServer();
    for (const seconds of [0, 29, 0.999, 0.001, 29, 1]) {
      service.server.now += seconds * SECOND;
      await service.entitlements('pc_1');
    }
    expect(service.server.received.map(({ tag }) => tag === undefined)).toEqual([true, false, false]);
    service.server.entitlements = { sso: given(true) };
    service.server.now += 30 * SECOND;
    expect((await service.entitlements('pc_1')).check('sso')).toBe('yes');
  });

  it.each([-2, 0, 2])('is read again when something ends, by the service’s clock, %d hours off', async hours => {
    await using service = await startStateServer({ skewMs: hours * HOUR });
    service.server.entitlements = { sso: given(true, service.server.now + hours * HOUR + 10 * SECOND) };
    for (const seconds of [0, 9, 1]) {
      service.server.now += seconds * SECOND;
      expect((await service.entitlements('pc_1')).check('sso')).toBe(seconds === 1 ? 'no' : 'yes');
    }
    expect(service.server.received).toHaveLength(2);
  });

  it('is kept as long though its end has passed, when the service still returns it', async () => {
    const asOf = new Date('2026-03-02T09:30:00Z');
    let reads = 0;
    await using service = await startStateServer({
      fetch: async () => {
        reads += 1;
        const headers = { etag: '"1"' };
        if (reads > 1) return new Response(null, { status: 304, headers });
        return Response.json({ state: { entitlements: { sso: given(true, asOf.getTime()) }, asOf } }, { headers });
      },
    });
    for (const seconds of [0, 1, 28, 1, 29, 1]) {
      service.server.now += seconds * SECOND;
      expect((await service.entitlements('pc_1')).check('sso')).toBe('yes');
    }
    expect(reads).toBe(3);
  });

  it('is read at once after a checkout, which rejects rather than return what was known before', async () => {
    await using service = await startStateServer();
    expect((await service.entitlements('pc_1')).check('sso')).toBe('no');
    service.server.entitlements = { sso: given(true) };
    const checkout = { checkoutSession: 'cs_1', waitMs: 5_000 };
    service.server.fault = 503;
    await expect(service.entitlements('pc_1', checkout)).rejects.toMatchObject({ status: 503 });
    service.server.fault = undefined;
    expect((await service.entitlements('pc_1', checkout)).check('sso')).toBe('yes');
    expect((await service.entitlements('pc_1')).check('sso')).toBe('yes');
    expect(service.server.received.at(-1)?.url).toBe('/customers/pc_1/state?checkoutSession=cs_1&waitMs=5000');
  });

  it('is that of the request that was sent last, whichever response comes first', async () => {
    const held = Promise.withResolvers<void>();
    let sent = 0;
    await using service = await startStateServer({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        if ((sent += 1) === 1) await held.promise;
        return response;
      },
    });
    const slow = service.entitlements('pc_1');
    await expect.poll(() => service.server.received.length).toBe(1);
    service.server.entitlements = { sso: given(true) };
    await service.entitlements('pc_1', { checkoutSession: 'cs_1' });
    held.resolve();
    expect((await slow).check('sso')).toBe('yes');
  });
});

describe('while the service can’t be reached, what a customer may use', () => {
  it.each(FAULTS)('is what was known (%s), and else unknown, which is neither yes nor no', async fault => {
    await using service = await startStateServer();
    service.server.entitlements = { sso: given(true) };
    await service.entitlements('pc_known');
    service.server.fault = fault;
    service.server.now += HOUR;
    const known = await service.entitlements('pc_known');
    expect([known.status, known.check('sso'), known.check('seats')]).toEqual(['stale', 'yes', 'no']);
    expect(known.failure).toBeInstanceOf(BillingError);
    const unknown = await service.entitlements('pc_unknown');
    expect([unknown.status, unknown.check('sso'), unknown.state]).toEqual(['unknown', 'unknown', undefined]);
    const error = expect.objectContaining({ code: 'entitlements_unknown', cause: unknown.failure });
    for (const method of ['allows', 'value', 'limit'] as const) expect(() => unknown[method]('sso')).toThrow(error);
    expect(unknown.allows('sso', { ifUnknown: true })).toBe(true);
    expect(unknown.allows('sso', { ifUnknown: false })).toBe(false);
    expect(unknown.value('sso', { ifUnknown: null })).toBeNull();
    expect(unknown.limit('sso', { ifUnknown: 1 })).toBe(1);
  });

  it('is found out by a single attempt when something is known, which is repeated every two seconds', async () => {
    await using service = await startStateServer({ timeoutMs: 500, maxRetries: 2 });
    await service.entitlements('pc_1');
    const before = service.server.received.length; // more than one where a busy machine takes half a second
    service.server.fault = 'never';
    service.server.now += 30 * SECOND;
    for (const seconds of [0, 1, 0.999, 0.001, 1]) {
      service.server.now += seconds * SECOND;
      expect((await service.entitlements('pc_1')).failure).toMatchObject({ code: 'timed_out' });
    }
    expect(service.server.received.slice(before)).toHaveLength(2);
  });

  it('ends when the service said, though the clock of the caller is set back meanwhile', async () => {
    await using service = await startStateServer();
    const { server } = service;
    server.entitlements = { sso: given(true, server.now + 5 * HOUR), seats: given(true) };
    await service.entitlements('pc_1');
    server.fault = 'drop';
    for (const [hours, checks] of [
      [4, ['yes', 'yes']],
      [2, ['unknown', 'yes']],
    ] as const) {
      server.now += hours * HOUR;
      server.setBackMs = 3 * HOUR;
      expect(checksOf(await service.entitlements('pc_1'))).toEqual(checks);
    }
  });

  it('is not kept from a refusal: of a customer who is gone, nothing is known any more', async () => {
    const statuses = [200, 404, 503];
    await using service = await startStateServer({
      fetch: async () => {
        const status = statuses.shift() ?? 500;
        if (status === 200) return Response.json({ state: { entitlements: { sso: given(true) }, asOf: new Date(0) } });
        return Response.json(
          { error: { code: status === 404 ? 'customer_not_found' : 'unavailable', message: '' } },
          { status },
        );
      },
    });
    await service.entitlements('pc_1');
    service.server.now += HOUR;
    await expect(service.entitlements('pc_1')).rejects.toMatchObject({ code: 'customer_not_found' });
    expect((await service.entitlements('pc_1')).status).toBe('unknown');
  });
});

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        seconds: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(1, 2, 29, 30, 31, 3_600, 86_399, 86_400)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('fail' as const), fault: fc.constantFrom(undefined, ...FAULTS) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('give' as const),
        key: fc.constantFrom('sso', 'seats'),
        seconds: fc.constantFrom(undefined, null, 1, 10, 45, 3_600, 172_800),
      }),
    },
  ),
  { maxLength: 25 },
);

describe('over any time of outages and changes', () => {
  it('a customer may use what the service last said, no longer than it said; else it is unknown, never for a service that responds', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: -2 * HOUR, max: 2 * HOUR }), async (history, skewMs) => {
        await using service = await startStateServer({ skewMs });
        const { server } = service;
        /** What the service last said, and when; and when it last failed. */
        let said: { readonly at: number; readonly entitlements: typeof server.entitlements } | undefined;
        let failedAt = -Infinity;
        const isOver = (until: string | null) => until !== null && Date.parse(until) <= server.now + skewMs;
        for (const step of history) {
          if (step.kind === 'wait') server.now += step.seconds * SECOND;
          if (step.kind === 'fail') server.fault = step.fault;
          if (step.kind === 'give') {
            const { [step.key]: _, ...others } = server.entitlements;
            const until = step.seconds == null ? null : server.now + skewMs + step.seconds * SECOND;
            server.entitlements = step.seconds === undefined ? others : { ...others, [step.key]: given(true, until) };
          }
          if (step.kind !== 'read') continue;

          const [before, at] = [server.received.length, server.now];
          const entitlements = await service.entitlements('pc_1');
          const age = said ? at - said.at : Infinity;
          const isDue =
            age >= 30 * SECOND || Object.values(said?.entitlements ?? {}).some(({ until }) => isOver(until));
          const isRead = isDue && at >= failedAt + 2 * SECOND;
          expect(server.received.length - before).toBe(isRead ? 1 : 0);
          expect(isRead && server.received.at(-1)?.tag === undefined).toBe(isRead && age >= 24 * HOUR);
          if (isRead && server.fault) failedAt = at;
          if (isRead && !server.fault) {
            const left = Object.entries(server.entitlements).filter(([, { until }]) => !isOver(until));
            [said, failedAt] = [{ at, entitlements: Object.fromEntries(left) }, -Infinity];
          }
          expect(checksOf(entitlements)).toEqual(
            ['sso', 'seats'].map(key => {
              const known = said?.entitlements[key];
              if (!said || at - said.at >= 24 * HOUR) return 'unknown';
              if (known && isOver(known.until)) return 'unknown';
              return known ? 'yes' : 'no';
            }),
          );
          expect(entitlements.status === 'current').toBe(failedAt === -Infinity);
        }
      }),
    );
  });
});

const checksOf = (entitlements: Entitlements) => ['sso', 'seats'].map(key => entitlements.check(key));
