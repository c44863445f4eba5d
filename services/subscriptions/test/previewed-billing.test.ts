import { randomUUID } from 'node:crypto';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startBilling } from './start-billing.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const quantity = fc.integer({ min: 1, max: 40 });
const unitAmount = fc.integer({ min: 0, max: 20_000 });
const anyLine = fc.oneof(
  fc.record({ kind: fc.constant('price' as const), quantity }),
  fc.record({ kind: fc.constant('product' as const), unitAmount, quantity }),
  fc.record({ kind: fc.constant('amount' as const), amount: fc.integer({ min: -2_000, max: 30_000 }) }),
);
/** What is already waiting or agreed on, of which some is none. */
const circumstances = fc.record({
  tax: fc.constantFrom('none', 'exclusive', 'inclusive', 'reversed'),
  code: fc.constantFrom(null, { percent: 15 }, { percent: 33.3 }, { amount: 1_234, currency: 'usd' }),
  /** Negative for credit. */
  balance: fc.constantFrom(0, -1, -700, -50_000, 300),
  waits: fc.boolean(),
});

type Body = Record<string, unknown> | undefined;

/** What a preview and an invoice both tell, or why there is neither. */
function billedBy(billed: Body, { error }: { readonly error?: { readonly code: string } }) {
  const { subtotal, discount, tax, total, amountDue } = billed ?? {};
  return { code: error?.code, subtotal, discount, tax, total, amountDue };
}

const linesOf = (billed: Body) =>
  ((billed?.['lines'] ?? []) as readonly Record<string, unknown>[]) // the response has passed the operation's schema
    .map(({ amount, quantity: many, priceId, description }) => ({ amount, many, priceId, description }));

it('comes to what its preview says, to the cent, and is paid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyLine, { minLength: 1, maxLength: 12 }), circumstances, async (wanted, given) => {
      const { create, preview, price, product, scope, customer, atProcessor } = await startBilling(service);
      const { dashboard } = service.account;
      const { tax, code, balance, waits } = given;
      if (tax !== 'none') {
        await dashboard.customers.update(customer.processorCustomerId, { address: { country: 'DE' } });
        const tax_behavior = tax === 'inclusive' ? 'inclusive' : 'exclusive';
        await dashboard.prices.update(price.processorPriceId, { tax_behavior });
      }
      if (tax === 'reversed')
        await dashboard.customers.createTaxId(customer.processorCustomerId, { type: 'eu_vat', value: 'DE123456789' });
      if (balance !== 0)
        await dashboard.customers.createBalanceTransaction(customer.processorCustomerId, {
          amount: balance,
          currency: 'usd',
        });
      if (waits)
        await dashboard.invoiceItems.create({ customer: customer.processorCustomerId, amount: 777, currency: 'usd' });
      const promotion = code && (await service.createPromotionCode({ coupon: { off: code, duration: 'once' } }, scope));
      const lines = wanted.map(line => {
        if (line.kind === 'price') return { priceId: price.id, quantity: line.quantity };
        if (line.kind === 'product')
          return { productId: product.id, unitAmount: line.unitAmount, quantity: line.quantity };
        return { description: 'Other', amount: line.amount };
      });
      const body = {
        lines,
        currency: 'usd',
        automaticTax: tax !== 'none',
        ...(promotion && { promotionCode: promotion.promotionCode.id }),
      };

      const previewed = (await preview(body)).body;
      const { amountDue, creditApplied = 0, debitApplied = 0, carriedOver = 0 } = previewed.preview ?? {};
      const made = (await create({ ...body, expectedAmountDue: amountDue }, { 'idempotency-key': randomUUID() })).body;
      expect(billedBy(made.invoice, made)).toEqual(billedBy(previewed.preview, previewed));
      // What takes off more than it bills makes no invoice.
      const invoices = made.invoice ? [await atProcessor(made.invoice)] : [];
      expect(invoices.map(at => [at.status, at.starting_balance, at.ending_balance])).toEqual(
        invoices.map(() => ['paid', balance, balance + creditApplied - debitApplied + carriedOver]),
      );
      const whole = made.invoice && (await service.call('GET', `/invoices/${made.invoice.id}`, { of: scope })).body;
      expect(linesOf(whole?.invoice)).toEqual(linesOf(previewed.preview));
    }),
    { numRuns: runs(160) },
  );
});
