import type { Stripe } from 'stripe';
import { PAGE_SIZE } from '../page-size.ts';
import type { CreatedFilter } from '../created-filter.ts';

/** The largest difference between the processor's clock and ours, in milliseconds. */
const MAX_CLOCK_SKEW_MS = 24 * 3_600_000;

/** One page of a list, newest first. */
export interface Page {
  readonly limit: number;
  readonly created: { readonly gte: number };
  readonly starting_after?: string;
}

interface Listed {
  readonly id: string;
  readonly metadata: Stripe.Metadata | null;
}

/**
 * Finds the newest object of a list that an operation created; null for none. Lists show an object as soon as it exists;
 * the processor's search may take an hour. https://docs.stripe.com/search#data-freshness
 */
export async function findCreated<Item extends Listed>(
  { metadata, since }: CreatedFilter,
  list: (page: Page) => Promise<{ readonly data: readonly Item[]; readonly has_more: boolean }>,
): Promise<Item | null> {
  const isWanted = ({ metadata: stored }: Listed) =>
    Object.entries(metadata).every(([key, value]) => stored?.[key] === value);
  const from = Math.floor((since.getTime() - MAX_CLOCK_SKEW_MS) / 1_000);
  const filter = { limit: PAGE_SIZE, created: { gte: from } };
  let after: string | undefined;
  for (;;) {
    const page = await list({ ...filter, ...(after !== undefined && { starting_after: after }) });
    const found = page.data.find(isWanted);
    if (found) return found;
    after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return null;
  }
}
