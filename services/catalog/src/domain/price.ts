import type { PriceState } from '@billing/contracts/events/catalog';
import type { PriceId, ProductId, ProjectId } from '@billing/contracts/ids';
import { unprocessable, type Problem } from '@billing/contracts/problem';
import type { BillingScheme, Interval, PriceType } from '@billing/contracts/resources/price';
import type { PriceSnapshot } from '@billing/processor/port';
import { withoutRouting } from '@billing/processor/metadata';

/** The fields of a price that an event may change; its terms never do. */
export interface PriceContent {
  readonly isActive: boolean;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
}

/** The fields of a price that are fixed when it is created. */
export interface PriceTerms {
  readonly unitAmount: number | null;
  readonly unitAmountDecimal: string | null;
  readonly billingScheme: BillingScheme;
  readonly metered: boolean;
  readonly currency: string;
  readonly type: PriceType;
  readonly interval: Interval | null;
  readonly intervalCount: number | null;
}

/** Returns the terms of a new price; a recurring one is billed every interval unless `intervalCount` is given. */
export function newTerms(requested: {
  unitAmount: number;
  currency: string;
  type: PriceType;
  interval?: Interval | undefined;
  intervalCount?: number | undefined;
}): Pick<PriceTerms, 'currency' | 'type' | 'interval' | 'intervalCount'> & { unitAmount: number } {
  const { unitAmount, currency, type, interval = null, intervalCount = 1 } = requested;
  return type === 'recurring'
    ? { unitAmount, currency, type, interval, intervalCount }
    : { unitAmount, currency, type, interval: null, intervalCount: null };
}

/** Returns the terms of a price. */
export function toTerms(price: PriceTerms): PriceTerms {
  const { unitAmount, unitAmountDecimal, billingScheme, metered, currency, type, interval, intervalCount } = price;
  return { unitAmount, unitAmountDecimal, billingScheme, metered, currency, type, interval, intervalCount };
}

/** Returns what may change of the processor's price, as we store it. */
export const toContent = ({ isActive, metadata }: PriceSnapshot): PriceContent => ({
  isActive,
  metadata: withoutRouting(metadata),
});

/** 422: an archived product gets no new prices. */
export function productInactive(): Problem {
  return unprocessable('product_inactive', 'The product is archived; activate it before you add a price to it.');
}

interface PriceRecord extends PriceTerms, Pick<PriceContent, 'isActive'> {
  readonly id: PriceId;
  readonly projectId: ProjectId;
  readonly productId: ProductId;
  readonly processorId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** Returns a price as events and RPC replies carry it. */
export function toState(price: PriceRecord): PriceState {
  const { id, projectId, productId, isActive, processorId: processorPriceId, version, createdAt, deletedAt } = price;
  const terms = toTerms(price);
  return { id, projectId, productId, ...terms, isActive, processorPriceId, version, createdAt, deletedAt };
}
