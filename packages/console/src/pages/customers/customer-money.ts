import type { Invoice, Page, Payment, Subscription } from '@billing/client';
import { formatMoney } from '#ui/money.ts';
import { hasEnded, nextStep, type NextStep } from '../subscriptions/next-step.ts';

const COLLECTED: readonly Payment['status'][] = ['succeeded', 'partially_refunded', 'refunded', 'inquiry', 'disputed'];

/** Whether a payment took money, as the totals of payments count it. */
export const tookMoney = ({ status }: Pick<Payment, 'status'>): boolean => COLLECTED.includes(status);

/** Returns what payments took less their refunds, in each currency; of more payments than are known at least that. */
export function paidText({ items, total }: Pick<Page<Payment>, 'items' | 'total'>): string {
  const sums = new Map<string, number>();
  for (const { amount, amountRefunded, currency } of items.filter(tookMoney))
    sums.set(currency, (sums.get(currency) ?? 0) + amount - amountRefunded);
  const text = [...sums].map(([currency, amount]) => formatMoney(amount, currency)).join(' + ');
  return text && total > items.length ? `over ${text}` : text || '–';
}

interface NextInvoice extends NextStep {
  readonly at: string;
  readonly subscription: Subscription;
}

/** Returns which subscription is billed next, and when; undefined when none goes on. */
export const nextInvoice = (subscriptions: readonly Subscription[]): NextInvoice | undefined =>
  subscriptions
    .filter(it => !hasEnded(it))
    .flatMap(subscription => {
      const { at, ...step } = nextStep(subscription);
      return at !== null && step.words !== 'Ends' ? [{ ...step, at, subscription }] : [];
    })
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];

/** Returns the invoice whose open payment the state of a customer tells: the earliest. */
export function earliestOpen(invoices: readonly Invoice[], hostedInvoiceUrl: string | null): Invoice | undefined {
  const open = invoices.filter(({ status }) => status === 'open');
  return open.find(it => hostedInvoiceUrl !== null && it.hostedInvoiceUrl === hostedInvoiceUrl) ?? open.at(-1);
}
