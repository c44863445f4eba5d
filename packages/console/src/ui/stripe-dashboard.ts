/** The pages of Stripe's dashboard, by how the ids of their objects begin. https://docs.stripe.com/api */
const PAGES: Readonly<Record<string, string>> = {
  cus: 'customers',
  sub: 'subscriptions',
  in: 'invoices',
  pi: 'payments',
  ch: 'payments',
  py: 'payments',
  prod: 'products',
  price: 'prices',
  promo: 'promotion_codes',
  evt: 'events',
};

interface StripeAccount {
  readonly accountId: string;
  readonly livemode: boolean;
}

/** Returns the dashboard's page about an object; undefined for kinds that have none. It names the account, as a person may have several. */
export function dashboardUrl(processorId: string, { accountId, livemode }: StripeAccount): string | undefined {
  const kind = processorId.split('_', 1)[0] ?? '';
  const page = Object.hasOwn(PAGES, kind) ? PAGES[kind] : undefined;
  if (page === undefined) return undefined;
  const mode = livemode ? '' : 'test/';
  return `https://dashboard.stripe.com/${encodeURIComponent(accountId)}/${mode}${page}/${encodeURIComponent(processorId)}`;
}
