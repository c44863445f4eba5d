import type { FaultRequest } from '@billing/local-processor/control';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCreditingService, type Credit } from './crediting.ts';

let crediting: Awaited<ReturnType<typeof startCreditingService>>;
beforeAll(async () => (crediting = await startCreditingService()));
afterAll(() => crediting[Symbol.asyncDispose]());

type Given = Awaited<ReturnType<typeof crediting.givenReferral>>;
type Fault = Pick<FaultRequest, 'mode' | 'times' | 'kept' | 'delayMs'>;

const SIDES = ['referrer', 'referee'] as const;

const plant = ({ account, pathOf }: Given, side: Credit['side'], method: 'GET' | 'POST', fault: Fault) =>
  account.control.fail({ ...fault, method, path: pathOf(side) });

/** What the ledger says is what the processor has, and the processor has one of each. */
async function expectOneCreditEach(given: Given): Promise<void> {
  const credits = await given.settled();
  expect(credits).toMatchObject([
    { side: 'referrer', status: 'credited', error: null },
    { side: 'referee', status: 'credited', error: null },
  ]);
  const made = [await given.balanceOf('referrer'), await given.balanceOf('referee')];
  expect(made).toMatchObject([[{ amount: -500 }], [{ amount: -300 }]]);
  expect(credits.map(credit => credit.processorTransactionId)).toEqual(made.flat().map(({ id }) => id));
  const told = await crediting.service.em.fork().execute<{ side: string }[]>(
    `select data->>'side' as side from outbox_events
        where type = 'referral.credited.v1' and data->>'referralId' = ? order by 1 desc`,
    [given.referralId],
  );
  expect(told.map(({ side }) => side)).toEqual(SIDES);
}

const keysUsed = async ({ account, referralId }: Given): Promise<string[]> => {
  const { objects } = await account.control.ledger();
  return objects.flatMap(({ idempotencyKey: key }) => (key?.includes(referralId) ? [key] : [])).toSorted();
};

describe('one credit for each side', () => {
  it.each<[string, ...Fault[]]>([
    ['the processor keeps a failure under the key', { mode: '500' }],
    ['the processor keeps failures under two keys', { mode: '500', times: 4 }],
    ['the processor made the credit and keeps a failure', { mode: '500-but-done' }],
    ['the processor made the credit and failed once', { mode: '500-but-done', kept: false }],
    ['the answer is lost again and again', { mode: 'done-but-answer-lost', times: 7 }],
    ['the processor is away for long', { mode: 'dropped', times: 14 }],
    ['a gateway in between is broken', { mode: '502html', times: 7 }],
    ['the processor fails for a while and keeps nothing', { mode: '500', kept: false, times: 7 }],
    ['the processor asks to slow down, then fails', { mode: '429', times: 4 }, { mode: '500' }],
  ])('although %s', async (_, ...faults) => {
    const given = await crediting.givenReferral();
    for (const fault of faults) await plant(given, 'referrer', 'POST', fault);
    await given.convert();
    await expectOneCreditEach(given);
    expect(await given.account.control.faults()).toEqual([]);
  });

  it('although the processor can’t be asked for a while what became of it', async () => {
    const given = await crediting.givenReferral();
    await plant(given, 'referrer', 'POST', { mode: '500-but-done' });
    for (const mode of ['500', 'dropped', '502html'] as const)
      await plant(given, 'referrer', 'GET', { mode, times: 3 });
    await given.convert();
    await expectOneCreditEach(given);
  });

  it('although a process dies between sending and noting', async () => {
    const given = await crediting.givenReferral();
    Object.assign(given.account, { deaths: 3, onDeath: given.expireClaims });
    await given.convert();
    await expectOneCreditEach(given);
    expect(given.account.deaths).toBe(0);
  });

  it('although another release sent it with other words', async () => {
    const given = await crediting.givenReferral();
    const { account, referralId, processorIds } = given;
    const transaction = { amount: -500, currency: 'usd', metadata: { referralId, side: 'referrer' } };
    await account.stripe.customers.createBalanceTransaction(processorIds.referrer, transaction, {
      idempotencyKey: `billing:referral-credit:${referralId}:referrer:1`,
    });
    await given.convert();
    await expectOneCreditEach(given);
  });

  it.each<[string, Fault, string]>([
    ['made it', { mode: 'done-but-answer-lost', times: 1_000 }, '1'],
    ['did not make it', { mode: 'dropped', times: 1_000 }, '2'],
  ])('although a day passes with nobody knowing that the processor %s', async (_, fault, version) => {
    const given = await crediting.givenReferral();
    await plant(given, 'referrer', 'POST', fault);
    await given.convert();
    await waitFor(
      async () => (await given.credits()).every(({ attempts, status }) => attempts >= 2 || status === 'credited'),
      {
        what: 'a second attempt',
        timeoutMs: 50_000,
      },
    );
    await given.dayPasses();
    await given.account.control.clearFaults();
    await expectOneCreditEach(given);
    expect(await keysUsed(given)).toEqual([
      `billing:referral-credit:${given.referralId}:referee:1`,
      `billing:referral-credit:${given.referralId}:referrer:${version}`,
    ]);
  });
});

it('sends nothing under a new key before it has asked whether the old one brought it about', async () => {
  const given = await crediting.givenReferral();
  await plant(given, 'referrer', 'POST', { mode: '500' });
  await plant(given, 'referrer', 'GET', { mode: 'dropped', times: 1_000 });
  await given.convert();
  const waiting = await waitFor(
    async () => {
      const [credit] = await given.credits();
      return credit?.error?.includes('does not answer') ? credit : undefined;
    },
    { what: 'a look that fails', timeoutMs: 50_000 },
  );
  expect(waiting.status).toBe('pending');
  await given.account.control.clearFaults();
  expect(await given.balanceOf('referrer')).toEqual([]);
  await expectOneCreditEach(given);
});

it('asks only after a time that no call under the old key can outlast', async () => {
  await using patient = await startCreditingService({ quietMs: 3_600_000 });
  const given = await patient.givenReferral();
  await plant(given, 'referrer', 'POST', { mode: '500' });
  await given.convert();
  const [closed] = await waitFor(
    async () => {
      const rows = await patient.service.em.fork().execute<{ minutes: number }[]>(
        `select extract(epoch from due_at - closed_at)::float8 / 60 as minutes from referral_credits
            where referral_id = ? and closed_at is not null`,
        [given.referralId],
      );
      return rows.length > 0 ? rows : undefined;
    },
    { what: 'the key to be closed', timeoutMs: 50_000 },
  );
  expect(closed?.minutes).toBeGreaterThan(59);
  expect((await given.account.control.ledger()).calls).not.toHaveProperty([
    'GET /v1/customers/:id/balance_transactions',
  ]);
});

describe('whatever goes wrong, in whatever order', () => {
  const times = fc.integer({ min: 1, max: 5 });
  const trouble = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ mode: fc.constantFrom('500' as const, '500-but-done' as const), kept: fc.boolean() }),
    },
    fc.record({ mode: fc.constantFrom('429' as const, '502html' as const, 'dropped' as const), times }),
    fc.record({ mode: fc.constant('done-but-answer-lost' as const), times }),
    fc.record({ mode: fc.constant('slow' as const), delayMs: fc.integer({ min: 1, max: 400 }), times }),
  );
  const side = fc.constantFrom(...SIDES);
  const fate = fc.record({
    sending: fc.array(fc.tuple(side, trouble), { maxLength: 4 }),
    looking: fc.array(fc.tuple(side, trouble), { maxLength: 2 }),
    deaths: fc.integer({ min: 0, max: 3 }),
    /** Meanwhile, each after a pause in milliseconds. */
    meanwhile: fc.array(
      fc.tuple(fc.integer({ min: 0, max: 300 }), fc.constantFrom('claims run out' as const, 'a day passes' as const)),
      { maxLength: 3 },
    ),
  });
  type Fate = typeof fate extends fc.Arbitrary<infer It> ? It : never;

  async function suffer({ sending, looking, deaths, meanwhile }: Fate): Promise<void> {
    const given = await crediting.givenReferral();
    for (const [whose, fault] of sending) await plant(given, whose, 'POST', fault);
    for (const [whose, fault] of looking) await plant(given, whose, 'GET', fault);
    Object.assign(given.account, { deaths, onDeath: given.expireClaims });
    await given.convert();
    for (const [pause, what] of meanwhile) {
      await new Promise(resolve => setTimeout(resolve, pause));
      await (what === 'a day passes' ? given.dayPasses() : given.expireClaims());
    }
    await given.settled(120_000);
    await given.account.control.clearFaults();
    await expectOneCreditEach(given);
  }

  it('each side has exactly one credit in the end, with two copies at work', { timeout: 240_000 }, async () => {
    const stop = crediting.service.startWorkingOff(crediting.processors);
    const fates = fc.array(fate, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fates, async together => {
        await Promise.all(together.map(suffer));
      }),
      { numRuns: 4, endOnFailure: true },
    );
    await stop();
  });
});
