import type { BilledItem } from '@billing/contracts/events/subscriptions';
import { formatMoney } from '@billing/contracts/money-format';
import type { Html } from './html.ts';
import type { Texts } from './texts.ts';

type PricedItem = Pick<BilledItem, 'unitAmount' | 'currency' | 'interval' | 'intervalCount' | 'quantity' | 'metered'>;

/** Returns an item's price: `$29.99 / month × 3`. One that is metered, or has no single amount, is by usage. */
export function priceText(item: PricedItem, texts: Texts): Html {
  const { unitAmount, currency, interval, intervalCount, quantity, metered } = item;
  const terms = { interval: interval ?? 'once', count: intervalCount ?? 1 };
  if (unitAmount === null || metered)
    return texts.html('price', { amount: texts.text('byUsage'), ...terms, quantity: 1 });
  return texts.html('price', { amount: formatMoney(unitAmount, currency, texts.locale), ...terms, quantity });
}
