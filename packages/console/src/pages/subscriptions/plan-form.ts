import type { PlanChange, Price, Subscription } from '@billing/client';
import { priceIn } from '../products/price-in.ts';
import { QUANTITY_MISSING, readPriceRows, type PriceRow } from '../products/price-row.ts';

/** What the form of a plan change says. */
export interface PlanForm {
  readonly rows: readonly PriceRow[];
  readonly when: NonNullable<PlanChange['when']>;
  readonly proration: NonNullable<PlanChange['proration']>;
  readonly promotionCode: string;
  readonly endsTrial: boolean;
}

/** When a change takes effect, in words. */
export const TIMES: Readonly<Record<PlanForm['when'], string>> = {
  now: 'Now',
  period_end: 'At the end of the period',
  auto: 'Now if it costs more, else at the end',
};
/** How the rest of the period is billed, in words. */
export const PRORATIONS: Readonly<Record<PlanForm['proration'], string>> = {
  always_invoice: 'On an invoice today',
  create_prorations: 'On the next invoice',
  none: 'Not at all',
};

/** Returns the form of a subscription that stays as it is. */
export const formOf = ({ items }: Pick<Subscription, 'items'>): PlanForm => ({
  rows: items.map(({ priceId, processorPriceId, quantity }) => ({
    key: processorPriceId,
    priceId: priceId ?? '',
    quantity: String(quantity),
  })),
  when: 'now',
  proration: 'always_invoice',
  promotionCode: '',
  endsTrial: false,
});

/** Returns the change that a form describes, or why it describes none. */
export function readPlanForm(
  { items, status }: Pick<Subscription, 'items' | 'status'>,
  form: PlanForm,
  isMetered: (priceId: string) => boolean,
): { readonly change: PlanChange } | { readonly missing: string } {
  const { rows, when, proration, promotionCode, endsTrial } = form;
  const wanted = readPriceRows(rows, isMetered);
  if (!wanted) return { missing: QUANTITY_MISSING };
  const isNow = when === 'now';
  const isTrial = status === 'trialing';
  const rest = {
    when,
    // At the end of the period and in a trial nothing is prorated.
    ...(isNow && (!isTrial || endsTrial) && { proration }),
    ...(promotionCode.trim() !== '' && { promotionCode: promotionCode.trim() }),
    ...(isNow && isTrial && endsTrial && { trial: 'end' as const }),
  };
  const isSame =
    wanted.length === items.length &&
    items.every((item, index) => {
      const row = wanted[index];
      return row?.priceId === (item.priceId ?? '') && (row.quantity === undefined || row.quantity === item.quantity);
    });
  if (isSame && rest.promotionCode === undefined && rest.trial === undefined)
    return { missing: 'Choose another price or quantity, and see here what it costs.' };
  const [only] = wanted;
  if (items.length === 1 && wanted.length === 1 && only) {
    const { priceId, quantity } = only;
    return { change: { ...rest, ...(priceId !== '' && { priceId }), ...(quantity !== undefined && { quantity }) } };
  }
  if (isSame && items.length === 1) return { change: rest };
  if (wanted.some(({ priceId }) => priceId === ''))
    return { missing: 'One of the prices is not known here. Run a sync, and then change the plan.' };
  return { change: { ...rest, items: wanted } };
}

/**
 * Returns the prices that an item can change to, each in the subscription's currency: recurring ones for sale that have it; and
 * its own.
 */
export function pricesFor(
  { items }: Pick<Subscription, 'items'>,
  prices: readonly Price[],
  isSold: (productId: string) => boolean,
): readonly Price[] {
  const own = new Set<string>(items.flatMap(({ priceId }) => priceId ?? []));
  const currency = items[0]?.currency ?? 'usd';
  return prices.flatMap(price => {
    const { id, type, isActive, productId } = price;
    const inCurrency = priceIn(price, currency);
    if (own.has(id)) return inCurrency ?? price;
    return type === 'recurring' && isActive && isSold(productId) && inCurrency ? inCurrency : [];
  });
}
