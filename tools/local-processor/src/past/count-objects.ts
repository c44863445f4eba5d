import { isDeleted } from '../objects/customer.ts';
import type { Customer } from '../objects/stored.ts';
import type { Account } from '../store/account.ts';

/** How many objects an account has: by type, and of each type by what matters there. */
export type ObjectCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Counts the objects that a synchronisation reads. */
export function countObjects({ tables }: Account): ObjectCounts {
  const customers = tables.customer.newestFirst();
  const live = customers.filter((row): row is Customer => !isDeleted(row));
  const subscriptions = tables.subscription.newestFirst();
  const emails = new Set(live.flatMap(({ email }) => email?.toLowerCase() ?? []));
  const withEmail = live.filter(({ email }) => email !== null).length;
  return {
    products: countBy(tables.product.newestFirst(), row => ('active' in row && row.active ? 'active' : 'archived')),
    prices: countBy(tables.price.newestFirst(), kindOfPrice),
    customers: {
      live: live.length,
      deleted: customers.length - live.length,
      'without e-mail': live.length - withEmail,
      'with the e-mail of another': withEmail - emails.size,
      'on test clocks': live.filter(row => typeof row.test_clock === 'string').length,
      'with a coupon': live.filter(row => row.discount).length,
    },
    'customers by metadata': countBy(live, ({ metadata }) => (metadata['app'] ? `app: ${metadata['app']}` : 'no app')),
    subscriptions: countBy(subscriptions, ({ status }) => status),
    'subscriptions by currency': countBy(subscriptions, ({ currency }) => currency),
    'subscriptions by interval': countBy(subscriptions, ({ items: { data } }) => intervalOf(data[0]?.price)),
    'subscriptions with': {
      'an end set': subscriptions.filter(row => row.cancel_at !== null && row.ended_at === null).length,
      'a schedule': subscriptions.filter(({ schedule }) => schedule !== null).length,
      'paused collection': subscriptions.filter(row => row.pause_collection !== null).length,
      'a coupon': subscriptions.filter(({ discounts }) => discounts.length > 0).length,
      'sent invoices': subscriptions.filter(row => row.collection_method === 'send_invoice').length,
    },
    invoices: countBy(tables.invoice.newestFirst(), ({ status }) => status ?? 'draft'),
    charges: countBy(tables.charge.newestFirst(), kindOfCharge),
  };
}

function countBy<Row>(rows: readonly Row[], kindOf: (row: Row) => string): Record<string, number> {
  const counts = [...Map.groupBy(rows, kindOf)].map(([kind, some]) => [kind, some.length] as const);
  return Object.fromEntries(counts.toSorted(([, a], [, b]) => b - a));
}

interface PriceShape {
  readonly billing_scheme: string;
  readonly recurring: {
    readonly interval: string;
    readonly interval_count: number;
    readonly usage_type: string;
  } | null;
}

const kindOfPrice = ({ billing_scheme: scheme, recurring }: PriceShape): string =>
  !recurring
    ? 'one time'
    : recurring.usage_type === 'metered'
      ? 'metered'
      : scheme === 'tiered'
        ? 'tiered'
        : 'per unit';

function intervalOf(price: PriceShape | undefined): string {
  const { interval = 'none', interval_count: count = 1 } = price?.recurring ?? {};
  return count === 1 ? interval : `${count} ${interval}s`;
}

const kindOfCharge = (row: {
  readonly status: string;
  readonly refunded: boolean;
  readonly disputed: boolean;
  readonly amount_refunded: number;
}): string =>
  row.disputed ? 'disputed' : row.amount_refunded > 0 ? (row.refunded ? 'refunded' : 'partly refunded') : row.status;
