import type { CustomerSnapshot } from './snapshots/customer.ts';
import type { SubscriptionSnapshot } from './snapshots/subscription.ts';

/** A clock of the processor in test mode. https://docs.stripe.com/api/test_clocks/object */
export interface TestClockSnapshot {
  readonly id: string;
  readonly name: string;
  /** In whole seconds. */
  readonly now: Date;
  readonly status: 'ready' | 'advancing' | 'failed';
  readonly deletesAt: Date;
}

/** What a test clock is created with. */
export interface NewTestClock {
  readonly name: string;
  readonly now: Date;
  /** One that exists, and stays on it. */
  readonly customerId?: string | undefined;
}

/** Clocks in test mode, and cards that behave as wanted. */
export interface TestClocks {
  /** Whether money moves. */
  readonly isLive: boolean;
  createTestClock(clock: NewTestClock, idempotencyKey: string): Promise<TestClockSnapshot>;
  findTestClock(id: string): Promise<TestClockSnapshot>;
  /**
   * Begins to advance a clock, by at most two of the shortest intervals of its subscriptions, or two years without one.
   * https://docs.stripe.com/billing/testing/test-clocks/api-advanced-usage
   */
  advanceTestClock(id: string, to: Date, idempotencyKey: string): Promise<TestClockSnapshot>;
  /** Deletes a clock with its customers. */
  deleteTestClock(id: string): Promise<void>;
  /** Other lists leave out what lives on test clocks. */
  listCustomersOnTestClock(id: string): Promise<Extract<CustomerSnapshot, { readonly deleted: false }>[]>;
  /** Those that have not ended. */
  listSubscriptionsOnTestClock(id: string): Promise<SubscriptionSnapshot[]>;
  /** Attaches a test card by its name, such as `pm_card_visa`. https://docs.stripe.com/testing */
  attachTestCard(
    customerId: string,
    card: string,
    idempotencyKey: string,
  ): Promise<{ readonly paymentMethodId: string }>;
}
