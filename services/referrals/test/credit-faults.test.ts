import { setTimeout as delay } from 'node:timers/promises';
import { ReferralCreditSaved } from '@billing/contracts/events/referrals';
import { parseCreditId } from '@billing/contracts/resources/referral';
import type { FaultRequest } from '@billing/local-processor/control';
import { waitFor } from '@billing/testing/wait-for';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCrediting, type Credit, type Crediting, type GivenReferral } from './crediting.ts';

let crediting: Crediting;
beforeAll(async () => {
  crediting = await startCrediting();
  await crediting.service.run();
});
afterAll(() => crediting[Symbol.asyncDispose]());

type Fault = Pick<FaultRequest, 'mode' | 'times' | 'kept' | 'delayMs'>;

const SIDES = ['referrer', 'referee'] as const;

const injectFault = ({ account, pathOf }: GivenReferral, side: Credit['side'], method: 'GET' | 'POST', fault: Fault) =>
  account.control.fail({ ...fault, method, path: pathOf(side) });

/** Expects one credit for each side at the processor, in the ledger and in the outbox. */
async function expectOneCreditEach(given: GivenReferral): Promise<void> {
  const credits = await given.finished();
  expect(credits).toMatchObject([
    { side: 'referrer', status: 'credited', error: null },
    { side: 'referee', status: 'credited', error: null },
  ]);
  const created = [await given.balanceOf('referrer'), await given.balanceOf('referee')];
  expect(created).toMatchObject([[{ amount: -500 }], [{ amount: -300 }]]);
  expect(credits.map(credit => credit.processorTransactionId)).toEqual(created.flat().map(({ id }) => id));
  const published = await crediting.service.published(ReferralCreditSaved);
  const ofReferral = published.filter(({ data }) => data.referralId === given.referralId);
  expect(ofReferral.map(({ data }) => parseCreditId(data.id).side).toSorted()).toEqual(SIDES.toSorted());
}

/** Returns the idempotency keys of the credits that the processor has created. */
const keysUsed = async ({ account, referralId }: GivenReferral): Promise<string[]> => {
  const { objects } = await account.control.ledger();
  return objects.flatMap(({ idempotencyKey: key }) => (key?.includes(referralId) ? [key] : [])).toSorted();
};

describe.concurrent('one credit for each side', () => {
  it.each<[string, Fault, string]>([
    ['created it', { mode: 'done-but-response-lost', times: 1_000 }, '1'],
    ['did not create it', { mode: 'dropped', times: 1_000 }, '2'],
  ])('although it is unknown for a day that the processor %s', async (_, fault, version) => {
    const given = await crediting.givenReferral();
    await injectFault(given, 'referrer', 'POST', fault);
    await given.convert();
    await waitFor(
      async () => (await given.credits()).every(({ attempts, status }) => attempts >= 2 || status === 'credited'),
      {
        what: 'a second attempt',
      },
    );
    await given.passDay();
    await given.account.control.clearFaults();
    await expectOneCreditEach(given);
    expect(await keysUsed(given)).toEqual([
      `billing:credit-balance:${given.referralId}:referee:1`,
      `billing:credit-balance:${given.referralId}:referrer:${version}`,
    ]);
  });
});

it('sends nothing under a new key before the search for the old one has succeeded', async () => {
  const given = await crediting.givenReferral();
  await injectFault(given, 'referrer', 'POST', { mode: '500' });
  await injectFault(given, 'referrer', 'GET', { mode: 'dropped', times: 1_000 });
  await given.convert();
  const waiting = await waitFor(
    async () => {
      const [credit] = await given.credits();
      return credit?.error?.includes('does not respond') ? credit : undefined;
    },
    { what: 'a failed search' },
  );
  expect(waiting.status).toBe('pending');
  expect((await keysUsed(given)).filter(key => key.includes(':referrer:'))).toEqual([]);
  await given.account.control.clearFaults();
  await expectOneCreditEach(given);
});

describe('random faults', () => {
  const times = fc.integer({ min: 1, max: 5 });
  const fault = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ mode: fc.constantFrom('500' as const, '500-but-done' as const), kept: fc.boolean() }),
    },
    fc.record({ mode: fc.constantFrom('429' as const, '502html' as const, 'dropped' as const), times }),
    fc.record({ mode: fc.constant('done-but-response-lost' as const), times }),
    fc.record({ mode: fc.constant('slow' as const), delayMs: fc.integer({ min: 1, max: 400 }), times }),
  );
  const side = fc.constantFrom(...SIDES);
  const scenario = fc.record({
    sending: fc.array(fc.tuple(side, fault), { maxLength: 4 }),
    searching: fc.array(fc.tuple(side, fault), { maxLength: 2 }),
    crashes: fc.integer({ min: 0, max: 3 }),
    /** Disturbances meanwhile, each after a delay in milliseconds. */
    meanwhile: fc.array(
      fc.tuple(fc.integer({ min: 0, max: 300 }), fc.constantFrom('leases end' as const, 'a day passes' as const)),
      { maxLength: 3 },
    ),
  });
  type Scenario = typeof scenario extends fc.Arbitrary<infer It> ? It : never;

  async function runScenario({ sending, searching, crashes, meanwhile }: Scenario): Promise<void> {
    const given = await crediting.givenReferral();
    for (const [affected, injected] of sending) await injectFault(given, affected, 'POST', injected);
    for (const [affected, injected] of searching) await injectFault(given, affected, 'GET', injected);
    given.crashAfterCalls(crashes);
    await given.convert();
    for (const [pauseMs, what] of meanwhile) {
      await delay(pauseMs);
      await (what === 'a day passes' ? given.passDay() : given.operations.endLeases());
    }
    await given.finished();
    await given.account.control.clearFaults();
    await expectOneCreditEach(given);
  }

  it('end with exactly one credit for each side, with two copies of the service', async () => {
    await using copy = await crediting.service.startCopy();
    await copy.run();
    const scenarios = fc.array(scenario, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(scenarios, async concurrent => {
        await Promise.all(concurrent.map(runScenario));
      }),
      { numRuns: runs(4), endOnFailure: true },
    );
  });
});
