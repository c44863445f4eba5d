/** Usage of a customer to be counted. */
export interface NewUsage {
  /** The event name of the meter that counts it. */
  readonly meter: string;
  /** The processor counts no two of an account with the same one, for 24 hours at least. */
  readonly identifier: string;
  readonly customerId: string;
  /** A whole number of at most 15 digits. */
  readonly value: number;
  readonly at: Date;
}

/** What a meter has counted of a customer in a time. */
export interface UsageSummary {
  readonly start: Date;
  readonly end: Date;
  readonly value: number;
}

/** What is summed up: in whole minutes, or with a window in whole hours or UTC days. */
export interface SummarizedTime {
  readonly start: Date;
  readonly end: Date;
  /** Sums up each hour or day; all of the time when absent. */
  readonly window?: 'hour' | 'day' | undefined;
}

/** Usage that the processor has taken, and refused later. */
export interface UsageError {
  readonly identifier: string;
  /** For example `meter_event_customer_not_found`. */
  readonly code: string;
  readonly message: string;
}

/** Usage, which metered prices bill. https://docs.stripe.com/billing/subscriptions/usage-based */
export interface Usage {
  /** Finds the active meter that counts usage of an event name; null when there is none. */
  findMeter(eventName: string): Promise<{ readonly id: string } | null>;
  /** Returns the event name of a meter, also of an inactive one. */
  findEventName(meterId: string): Promise<string>;
  /**
   * Sends usage; what the processor has already under the identifier counts as sent. It checks the customer and some more later:
   * `listUsageErrors` has what it then refuses. https://docs.stripe.com/api/billing/meter-event/create
   */
  sendUsage(usage: NewUsage, idempotencyKey: string): Promise<void>;
  /** Sums up what a meter has counted of a customer, oldest first; windows without usage may be left out. */
  sumUpUsage(meterId: string, customerId: string, time: SummarizedTime): Promise<UsageSummary[]>;
  /** Lists what was refused later, as reported since a time. A report names samples only when it is of very many errors. */
  listUsageErrors(since: Date): Promise<UsageError[]>;
}
