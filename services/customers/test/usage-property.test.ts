import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startUsage } from './start-usage.ts';

const FAULTS = ['done-but-response-lost', '500-but-done', '500', '429', 'dropped', 'done-but-response-broken'] as const;

it('counts each event once and in its order, whatever the order of requests, repeats and faults', async () => {
  await using service = await startUsage();
  let round = 0;
  const place = fc.nat(7);
  const step = fc.oneof(
    fc.record({ request: fc.array(place, { minLength: 1, maxLength: 8 }) }),
    fc.record({ fault: fc.constantFrom(...FAULTS), times: fc.integer({ min: 1, max: 4 }) }),
    fc.constant('drain' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async steps => {
      round += 1;
      const customer = await service.createCustomer({ email: `c${round}@example.com` });
      const [accepted, statuses]: [number[], number[]] = [[], []];
      const idOf = (index: number) => `${round}-${index}`;
      for (const next of steps) {
        // Copies of the service.
        if (next === 'drain') await Promise.all([service.drain(), service.makeDue().then(() => service.drain())]);
        else if ('fault' in next)
          await service.control.fail({ path: '/v1/billing/meter_events', mode: next.fault, times: next.times });
        else {
          const events = next.request.map(index => {
            return { id: idOf(index), customerId: customer.id, meter: 'calls', value: 10 ** index };
          });
          const responses = await Promise.all([service.record(events), service.record(events)]);
          statuses.push(...responses.map(({ status }) => status));
          accepted.push(...new Set(next.request.filter(index => !accepted.includes(index))));
        }
      }
      await service.control.clearFaults();
      for (let left = 1; left > 0; left = (await service.list(`?status=pending&customerId=${customer.id}`)).length) {
        await service.makeDue();
        await service.drain();
      }
      expect(new Set(statuses)).toEqual(new Set(accepted.length > 0 ? [202] : []));
      const ids = accepted.map(idOf);
      expect(await service.counted(customer)).toBe(accepted.reduce((sum, index) => sum + 10 ** index, 0));
      expect(await service.taken(ids)).toEqual(ids);
    }),
    { numRuns: runs(12) },
  );
});
