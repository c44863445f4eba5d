import type { PriceState } from '@billing/contracts/events/catalog';
import type { PriceId, ProductId, ProjectId } from '@billing/contracts/ids';
import { unprocessable, type Problem } from '@billing/contracts/problem';
import type { BillingScheme, Interval, PriceType } from '@billing/contracts/resources/price';
import type { PriceSnapshot } from '@billing/processor/port';
import { replacement, sameMetadata, withoutEmpty, withoutRouting } from '@billing/processor/metadata';

/** The fields of a price that an event may change; amount, currency and interval never do. */
export interface PriceContent {
  readonly isActive: boolean;
  /** Without routing keys. */
  readonly metadata: Record<string, string>;
  /** This and the fields below never change either, but older rows lack them. */
  readonly unitAmountDecimal: string | null;
  readonly billingScheme: BillingScheme;
  readonly metered: boolean;
}

/** What a caller may change; metadata is replaced. */
export interface PriceChanges {
  readonly isActive?: boolean | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The fields of a price that are fixed when it is created. */
export interface PriceTerms {
  readonly unitAmount: number | null;
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
}): PriceTerms & { unitAmount: number } {
  const { unitAmount, currency, type, interval = null, intervalCount = 1 } = requested;
  return type === 'recurring'
    ? { unitAmount, currency, type, interval, intervalCount }
    : { unitAmount, currency, type, interval: null, intervalCount: null };
}

/** Returns the terms of a price of the processor. */
export function toTerms({ unitAmount, currency, type, interval, intervalCount }: PriceSnapshot): PriceTerms {
  return { unitAmount, currency, type, interval, intervalCount };
}

/** Returns what may change of the processor's price, as we store it. */
export function toContent(snapshot: PriceSnapshot): PriceContent {
  const { isActive, metadata, unitAmountDecimal, billingScheme, metered } = snapshot;
  return { isActive, metadata: withoutRouting(metadata), unitAmountDecimal, billingScheme, metered };
}

/** Returns whether two contents are equal. */
export function isSameContent(one: PriceContent, other: PriceContent): boolean {
  return (
    one.isActive === other.isActive &&
    one.unitAmountDecimal === other.unitAmountDecimal &&
    one.billingScheme === other.billingScheme &&
    one.metered === other.metered &&
    sameMetadata(one.metadata, other.metadata)
  );
}

/** Returns a caller's changes as they are sent to the processor. */
export function toProcessorChanges(
  current: Pick<PriceContent, 'metadata'>,
  { metadata, ...changes }: PriceChanges,
): PriceChanges {
  return metadata ? { ...changes, metadata: replacement(current.metadata, withoutEmpty(metadata)) } : changes;
}

/** 422: an archived product gets no new prices. */
export function productInactive(): Problem {
  return unprocessable('product_inactive', 'The product is archived; activate it before you add a price to it.');
}

interface PriceRecord extends PriceTerms, Omit<PriceContent, 'metadata'> {
  readonly id: PriceId;
  readonly projectId: ProjectId;
  readonly productId: ProductId;
  readonly processorPriceId: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/** Returns a price as events and RPC replies carry it. */
export function toState(price: PriceRecord): PriceState {
  const { id, projectId, productId, isActive, processorPriceId, version, createdAt, deletedAt } = price;
  const { unitAmount, unitAmountDecimal, billingScheme, metered } = price;
  const { currency, type, interval, intervalCount } = price;
  const amount = { unitAmount, unitAmountDecimal, billingScheme, metered };
  const terms = { ...amount, currency, type, interval, intervalCount };
  return { id, projectId, productId, ...terms, isActive, processorPriceId, version, createdAt, deletedAt };
}
