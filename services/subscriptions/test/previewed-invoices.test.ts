import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Interval } from '@billing/contracts/resources/price';
import { startService, type Service } from './service.ts';
import { subscribeOnClock } from './subscribe-on-clock.ts';

const DAY_MS = 86_400_000;
const START = '2026-01-31T10:30:15Z';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const quantity = fc.integer({ min: 1, max: 40 });
const unitAmount = fc.integer({ min: 0, max: 50_000 });
const price = fc.record({ unitAmount, interval: fc.constantFrom<Interval>('month', 'month', 'month', 'year', 'week') });
/** Of the prices that there are: the first two it has from the start. */
const items = fc.uniqueArray(fc.record({ price: fc.nat({ max: 3 }), quantity }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ price: wanted }) => wanted,
});
const step = fc.record({
  /** How long after the step before. */
  afterMs: fc.integer({ min: 0, max: 6 * DAY_MS }),
  items: fc.option(items, { nil: undefined }),
  promotionCode: fc.constantFrom(undefined, undefined, null, 'half', 'once', 'months'),
  when: fc.constantFrom('now', 'now', 'period_end'),
  proration: fc.constantFrom('always_invoice', 'always_invoice', 'create_prorations', 'none'),
  /** How long the customer looks at the preview. */
  looksMs: fc.integer({ min: 0, max: 15 * 60_000 }),
});
const history = fc.record({
  first: fc.array(fc.record({ unitAmount, quantity }), { minLength: 1, maxLength: 2 }),
  prices: fc.tuple(price, price),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});

const CODES = {
  half: { duration: 'forever', off: { percent: 33.33 } },
  once: { duration: 'once', off: { amount: 1_234, currency: 'usd' } },
  months: { duration: 'repeating', durationInMonths: 2, off: { percent: 7.5 } },
} as const;

type Invoice = Awaited<ReturnType<Service['account']['dashboard']['invoices']['retrieve']>>;

const figuresOf = ({
  total,
  amount_due: due,
  subtotal,
  lines,
}: Pick<Invoice, 'total' | 'amount_due' | 'subtotal' | 'lines'>) => {
  return { total, due, subtotal, lines: lines.data.map(({ amount }) => amount) };
};

/** What may keep a change from being made, whatever it costs. */
const REFUSALS = ['no_change', 'interval_mismatch', 'promotion_code_not_applicable'];

it('an invoice is what its preview says, to the cent, and so is the next one', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ first, prices: others, steps }) => {
      const started = await subscribeOnClock(service, { start: START, items: first });
      const { scope, processorId, preview, change, advance, invoicesAtProcessor } = started;
      const prices = [...started.prices, ...(await Promise.all(others.map(started.createPrice)))];
      const codes = new Map<string | null | undefined, string>();
      for (const [name, coupon] of Object.entries(CODES)) {
        const created = await service.createPromotionCode({ coupon }, scope);
        codes.set(name, created.promotionCode.id);
      }
      let time = new Date(START).getTime();
      const wait = async (ms: number) => {
        const later = time + Math.floor(ms / 1_000) * 1_000;
        if (later > time) await advance(new Date(later));
        time = later;
      };
      for (const { afterMs, items: wanted, promotionCode, when, proration, looksMs } of steps) {
        await wait(afterMs);
        const named = wanted?.flatMap(item => {
          const id = prices[item.price]?.id;
          return id ? [{ priceId: id, quantity: item.quantity }] : [];
        });
        const body = {
          ...(named?.length && { items: named }),
          promotionCode: codes.get(promotionCode) ?? promotionCode,
          when,
          ...(when === 'now' && { proration }),
        };
        const { status, body: previewed } = await preview(body);
        if (status === 422 && REFUSALS.includes(previewed.error.code)) continue;
        expect(previewed).toMatchObject({ preview: {} });
        const { preview: shown } = previewed;
        const [before] = await invoicesAtProcessor();
        if (shown.exact) await wait(looksMs);
        const { prorationDate, amountDue: expectedAmountDue } = shown;
        const made = await change({ ...body, prorationDate, expectedAmountDue });
        expect(made.body).toMatchObject({ change: { status: when === 'now' ? 'applied' : 'scheduled' } });

        const next = await service.processor.previewInvoice(processorId);
        expect(shown.nextInvoice).toEqual(next && { at: next.at.toISOString(), total: next.total });
        const [newest] = await invoicesAtProcessor();
        const expected = {
          total: shown.total,
          due: shown.amountDue,
          subtotal: shown.subtotal,
          lines: shown.lines.map(({ amount }: { readonly amount: number }) => amount),
        };
        const isBilled = newest && newest.id !== before?.id;
        expect(isBilled ? figuresOf(newest) : { ...expected, due: 0 }).toEqual(expected);
      }
    }),
    { numRuns: runs(12) },
  );
});
