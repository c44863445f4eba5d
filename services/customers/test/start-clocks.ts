import { TakeInBilling } from '@billing/contracts/rpc/calls';
import { AreRecorded, FindSequences } from '@billing/contracts/rpc/test-clocks';
import { leaseClocks } from '../src/test-clocks/lease-clocks.ts';
import { runAdvance } from '../src/test-clocks/run-advance.ts';
import { startUsage } from './start-usage.ts';

const NEVER = new AbortController().signal;
/** More than any test needs to come to an end. */
const MAX_TURNS = 20;

/** Starts the service with what advances clocks at hand; the other services have nothing to record. */
export async function startClocks() {
  const service = await startUsage();
  /** Whether everything has its events. */
  const numbering = { areRecorded: true };
  await service.serve(TakeInBilling, async () => ({ isComplete: true }));
  await service.serve(FindSequences, async () => ({ isPublished: true, objects: [] }));
  await service.serve(AreRecorded, async () => numbering);
  const run = runAdvance({ ...service, numberedMs: 100 });
  const { em } = service;

  const turn = async (): Promise<boolean> => {
    await em.fork().execute('update test_clocks set due_at = clock_timestamp() where due_at is not null');
    const due = await leaseClocks(em, 10);
    await Promise.all(due.map(clock => run(clock, NEVER)));
    return due.length > 0;
  };
  const find = async (id: string) => (await service.call('GET', `/test-clocks/${id}`)).body.testClock;
  return {
    ...service,
    numbering,
    turn,
    /** Has clocks advance until none does any more. */
    async advanceAll() {
      for (let count = 0; count < MAX_TURNS; count += 1) if (!(await turn())) return;
    },
    find,
    create: async (now = '2030-01-01T00:00:00Z') =>
      (await service.call('POST', '/test-clocks', { body: { name: 'A clock', now } })).body.testClock,
    advance: (id: string, body: object, headers: Record<string, string> = {}) =>
      service.call('POST', `/test-clocks/${id}/advance`, { body, headers }),
    /** Has a customer subscribe to a month, with a trial of 20 days. */
    async subscribe({ processorCustomerId: customer }: { processorCustomerId: string }) {
      const { dashboard } = service;
      const { id: product } = await dashboard.products.create({ name: 'A plan' });
      const recurring = { interval: 'month' } as const;
      const { id: price } = await dashboard.prices.create({ currency: 'usd', unit_amount: 100, recurring, product });
      await dashboard.subscriptions.create({ customer, items: [{ price }], trial_period_days: 20 });
    },
  };
}
