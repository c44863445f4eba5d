import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Service } from './service.ts';
import { APRIL_13, subscribeOnClock } from './subscribe-on-clock.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const CASES = {
  exclusive: { reason: 'standard_rated', isTaxed: true },
  inclusive: { reason: 'standard_rated', isTaxed: true },
  reversed: { reason: 'reverse_charge', isTaxed: false },
} as const;

it.each(['exclusive', 'inclusive', 'reversed'] as const)(
  'an invoice with %s tax is what its preview says, to the cent',
  async kind => {
    const { dashboard } = service.account;
    const { reason, isTaxed } = CASES[kind];
    const amount = fc.integer({ min: 100, max: 50_000 });
    const quantity = fc.integer({ min: 6, max: 40 });
    await fc.assert(
      fc.asyncProperty(amount, quantity, async (unitAmount, more) => {
        const started = await subscribeOnClock(service, { items: [{ unitAmount, quantity: 5 }] });
        const { scope, payer, price, processorId, advance, preview, change } = started;
        await dashboard.prices.update(price.processorPriceId, {
          tax_behavior: kind === 'inclusive' ? 'inclusive' : 'exclusive',
        });
        await dashboard.customers.update(payer.id, { address: { country: 'DE' } });
        if (kind === 'reversed')
          await dashboard.customers.createTaxId(payer.id, { type: 'eu_vat', value: 'DE123456789' });
        await dashboard.subscriptions.update(processorId, { automatic_tax: { enabled: true } });
        await advance(APRIL_13);
        const { body } = await preview({ quantity: more });
        const { subtotal, discount, tax, total, amountDue, lines, prorationDate } = body.preview;
        expect(tax > 0).toBe(isTaxed);
        expect(total).toBe(kind === 'exclusive' ? subtotal + tax : subtotal);
        const made = await change({ quantity: more, prorationDate, expectedAmountDue: amountDue });
        expect(made.body.invoice).toMatchObject({ subtotal, discount, tax, total, amountDue, amountPaid: amountDue });
        const { body: whole } = await service.call('GET', `/invoices/${made.body.invoice.id}`, { of: scope });
        expect(whole.invoice.taxes).toMatchObject([{ amount: tax, inclusive: kind === 'inclusive', reason }]);
        const amountsOf = (of: readonly { readonly amount: number }[]) => of.map(line => line.amount);
        expect(amountsOf(whole.invoice.lines)).toEqual(amountsOf(lines));
      }),
      { numRuns: runs(16) },
    );
  },
);
