import { randomInt } from 'node:crypto';
import type { Operation } from '@billing/contracts/operation';
import { allOperations } from '@billing/contracts/operations/index';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { attacksOn } from '../system/hostile/attacks.ts';
import { send } from '../system/hostile/send.ts';
import { faultOf, faultOfPage } from '../system/hostile/verdict.ts';
import { openWorld, type World } from '../system/hostile/world.ts';
import { errorsSince, markLogs, type LogMarks } from '../system/logs.ts';
import { readPids } from '../system/running-system.ts';
import { newMonthlyPrice, newSubscription, newTenant } from '../system/tenant.ts';

const seed = Number(process.env['HOSTILE_SEED'] ?? randomInt(2 ** 31));
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 60);

/** Pages, which are no operations. */
const PAGES = (
  [
    ['GET', '/portal/:token'],
    ['GET', '/portal/return/:wayBackId'],
    ['GET', '/portal/:token/subscriptions/:subscriptionId/cancel'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/cancel'],
    ['POST', '/portal/:token/subscriptions/:subscriptionId/resume'],
    ['POST', '/portal/:token/setup-intent'],
  ] as const
).map(([method, path]) => ({ id: `${method} ${path}`, method, path, access: { kind: 'portal-token' } as const }));

let worlds: Record<'product' | 'settings' | 'events', World>;
let marks: LogMarks;
let pids: unknown;

beforeAll(async () => {
  console.log(`hostile input: HOSTILE_SEED=${seed} HOSTILE_RUNS=${numRuns}`);
  const [product, settings, events] = await Promise.all([openWorld(), openWorld(), openWorld()]);
  worlds = { product, settings, events };
  marks = await markLogs();
  pids = await readPids(inject('dataDir'));
});

describe.concurrent('whatever is sent', () => {
  it.each(allOperations)('to $id, the answer is a success or a refusal in the common form', async operation => {
    const answers: Record<number, number> = {};
    await fc.assert(
      fc.asyncProperty(attacksOn(operation, worldOf(operation)), async attack => {
        const answer = await send(inject('gatewayUrl'), attack);
        answers[answer.status] = (answers[answer.status] ?? 0) + 1;
        const fault = faultOf(answer, operation);
        if (fault) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 500)}\n${shown(attack)}`);
      }),
      { seed, numRuns },
    );
    if (process.env['HOSTILE_ANSWERS']) console.log(operation.id, answers);
  });

  it.each(PAGES)('to $id, the answer is a page', async page => {
    await fc.assert(
      fc.asyncProperty(attacksOn(page, worlds.product), async attack => {
        const answer = await send(inject('gatewayUrl'), attack);
        const fault = faultOfPage(answer);
        if (fault) throw new Error(`${fault}: ${answer.status} ${answer.text.slice(0, 500)}\n${shown(attack)}`);
      }),
      { seed, numRuns: Math.ceil(numRuns / 2) },
    );
  });
});

describe('after all that', () => {
  it('still sells a subscription, to the companies that were attacked and to others', async () => {
    for (const tenant of [worlds.product.tenant, worlds.events.tenant, await newTenant()]) {
      const { priceId } = await newMonthlyPrice(tenant);
      expect(await newSubscription(tenant, priceId)).toMatchObject({ status: 'active', priceId });
    }
  });

  it('has settled every event that can be settled, lost no process, and written no error', async () => {
    const { billing } = worlds.events.tenant;
    await waitFor(async () => (await billing.webhookEvents.list({ status: 'received' }).page()).total === 0, {
      what: 'every event to be settled',
      timeoutMs: 60_000,
      intervalMs: 250,
    });
    expect(await readPids(inject('dataDir'))).toEqual(pids);
    expect(await errorsSince(marks)).toEqual([]);
  });
});

afterAll(() => console.log(`hostile input: HOSTILE_SEED=${seed}`));

/** What changes a company's settings, or speaks as its processor, has a company of its own. */
function worldOf({ access }: Operation): World {
  if (access.kind === 'team') return worlds.settings;
  return access.kind === 'signature' ? worlds.events : worlds.product;
}

/** An attack as it can be sent again, without its credentials. */
function shown({ method, path, headers, body }: Parameters<typeof send>[1]): string {
  const { authorization: _key, cookie: _session, ...others } = headers;
  const lines = [`${method} ${path.slice(0, 2_000)}`, JSON.stringify(others).slice(0, 2_000)];
  if (body) lines.push(JSON.stringify(body.toString().slice(0, 2_000)));
  return lines.join('\n');
}
