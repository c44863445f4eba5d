import { randomInt } from 'node:crypto';
import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { attacksOn } from '../system/hostile/attacks.ts';
import { send } from '../system/hostile/send.ts';
import { defectIn, defectInError, defectInPage } from '../system/hostile/check-response.ts';
import { createFixtures, createTeamFixtures, type Fixtures } from '../system/hostile/fixtures.ts';
import { errorsSince, markLogs, type LogMarks } from '../system/logs.ts';
import { readPids } from '../system/running-system.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../system/tenant.ts';

const seed = Number(process.env['HOSTILE_SEED'] ?? randomInt(2 ** 31));
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? (process.env['SYSTEM'] === '1' ? 60 : 3));

/** Portal pages, which the OpenAPI document does not list. */
const PAGES = (
  [
    ['GET', '/portal/:token'],
    ['GET', '/portal/return/:wayBackId'],
    ['GET', '/portal/:token/subscriptions/:subscriptionId/cancel'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/cancel'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/resume'],
    ['GET', '/portal/:token/subscriptions/:subscriptionId/pause'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/pause'],
    ['GET', '/portal/:token/subscriptions/:subscriptionId/pause/end'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/pause/end'],
    ['GET', '/portal/:token/subscriptions/:subscriptionId/change'],
    ['GET', '/portal/:token/subscriptions/:subscriptionId/change/preview'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/change'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/change/drop'],
    ['POST', '/portal/:token/setup-intent'],
    ['GET', '/portal/:token/billing-details'],
    ['POST', '/portal/:token/billing-details'],
  ] as const
).map(([method, path]) => ({ id: `${method} ${path}`, method, path, access: { kind: 'portal-token' } as const }));

let fixtures: Record<'product' | 'settings' | 'events', Fixtures>;
let marks: LogMarks;
let pids: unknown;

beforeAll(async () => {
  console.log(`hostile input: HOSTILE_SEED=${seed} HOSTILE_RUNS=${numRuns}`);
  const [product, settings, events] = await Promise.all([
    createFixtures(4),
    createTeamFixtures(),
    createTeamFixtures(),
  ]);
  fixtures = { product, settings, events };
  marks = await markLogs();
  pids = await readPids(inject('dataDir'));
});

describe.concurrent('hostile input', () => {
  it.each(allOperations)('to $id gets a valid response or a 4xx in the common form', async operation => {
    const statuses: Record<number, number> = {};
    await fc.assert(
      fc.asyncProperty(attacksOn(operation, fixturesFor(operation)), async attack => {
        const response = await send(inject('gatewayUrl'), attack);
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        const defect = defectIn(response, operation);
        if (defect)
          throw new Error(`${defect}: ${response.status} ${response.text.slice(0, 500)}\n${describeAttack(attack)}`);
      }),
      { seed, numRuns },
    );
    if (process.env['HOSTILE_STATUSES']) console.log(operation.id, statuses);
  });

  it.each(PAGES)('to $id gets a page', async page => {
    await fc.assert(
      fc.asyncProperty(attacksOn(page, fixtures.product), async attack => {
        const response = await send(inject('gatewayUrl'), attack);
        const defect = defectInPage(response);
        if (defect)
          throw new Error(`${defect}: ${response.status} ${response.text.slice(0, 500)}\n${describeAttack(attack)}`);
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    );
  });
});

describe('a large request', () => {
  it.each([
    ['path', 4_200, 400],
    ['path', 9_000, 400],
    ['query', 15_000, 400],
    ['user-agent', 15_000, 200],
  ] as const)('with a %s of %i characters gets %i from every service', async (what, length, status) => {
    const { tenant, secret } = fixtures.product;
    const long = 'a'.repeat(length);
    for (const list of ['products', 'customers', 'subscriptions', 'referrals/codes', 'webhook-events']) {
      const rest = { path: `/${long}`, query: `?x=${long}`, 'user-agent': '' }[what];
      const headers = { authorization: `Bearer ${secret}`, 'user-agent': what === 'user-agent' ? long : 'a' };
      const response = await send(inject('gatewayUrl'), {
        method: 'GET',
        path: `${tenant.P}/${list}${rest}`,
        headers,
        body: undefined,
      });
      const defect = status === 400 ? defectInError(response) : undefined;
      expect({ list, status: response.status, defect }).toEqual({ list, status, defect: undefined });
    }
  });
});

describe('after the hostile input', () => {
  it('still sells subscriptions for attacked and other tenants', async () => {
    for (const tenant of [fixtures.product.tenant, fixtures.events.tenant, await newTenant()]) {
      const { priceId } = await newMonthlyPrice(tenant);
      expect(await newSubscription(tenant, priceId)).toMatchObject({ status: 'active', priceId });
    }
  });

  it('has completed every event, lost no process and logged no error', async () => {
    const { billing } = fixtures.events.tenant;
    await waitFor(async () => (await billing.webhookEvents.list({ status: 'received' }).page()).total === 0, {
      what: 'every event to be completed',
      intervalMs: 250,
    });
    expect(await readPids(inject('dataDir'))).toEqual(pids);
    const own = Object.values(fixtures).map(({ tenant }) => tenant.teamId);
    expect(await errorsSince(marks, own)).toEqual([]);
  });
});

afterAll(() => console.log(`hostile input: HOSTILE_SEED=${seed}`));

/** Operations that change team settings, and webhooks, get tenants of their own. */
function fixturesFor({ access }: Operation): Fixtures {
  if (access.kind === 'team') return fixtures.settings;
  return access.kind === 'signature' ? fixtures.events : fixtures.product;
}

/** Describes an attack so that it can be sent again; credentials are left out. */
function describeAttack({ method, path, headers, body }: Parameters<typeof send>[1]): string {
  const { authorization: _key, cookie: _session, ...others } = headers;
  const lines = [`${method} ${path.slice(0, 2_000)}`, JSON.stringify(others).slice(0, 2_000)];
  if (body) lines.push(JSON.stringify(body.toString().slice(0, 2_000)));
  return lines.join('\n');
}
