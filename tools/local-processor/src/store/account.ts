import type { Stripe } from 'stripe';
import type { Tables, TableName } from '../objects/tables.ts';
import { type ChangeLog, Table } from './table.ts';

type AccountTables = { readonly [Name in TableName]: Table<Tables[Name]> };

/** How events are delivered; the control API changes it. */
export interface DeliveryRules {
  /** True holds every new delivery until it is released. */
  hold: boolean;
  /** How many times each event is sent to each endpoint. */
  copies: number;
  /** Collects the deliveries of each window and sends them in the pseudo-random order of the seed. */
  shuffle: { seed: number; windowMs: number } | null;
  /** How many of the next deliveries are dropped: not sent and not retried. */
  dropNext: number;
  /** The event types that these rules apply to; null means all. */
  types: string[] | null;
}

/** Delivers each event once and immediately. */
export const DEFAULT_RULES: DeliveryRules = { hold: false, copies: 1, shuffle: null, dropNext: 0, types: null };

/** What becomes of a subscription, and of its invoice, once the last retry of a payment has failed. */
export interface RetrySettings {
  subscription: 'canceled' | 'unpaid' | 'past_due';
  invoice: 'open' | 'uncollectible';
}

export const DEFAULT_RETRIES: RetrySettings = { subscription: 'canceled', invoice: 'open' };

/** The state of an account apart from its objects. */
export interface AccountState {
  created: number;
  /** The offset of the account's clock from the real time, in seconds. */
  clockOffset: number;
  nextInvoiceNumber: number;
  /** All changes that were due until this time have been applied; Unix seconds of the account's clock. */
  dueUntil: number;
  rules: DeliveryRules;
  retries: RetrySettings;
  /** The permissions that restricted keys of this account lack, by a digest of the key. */
  restrictedKeys: Record<string, string[]>;
}

const INDEXED: Partial<Record<TableName, readonly string[]>> = {
  customer: ['email'],
  price: ['product', 'lookup_key'],
  subscription: ['customer'],
  invoice: ['customer'],
  invoice_payment: ['invoice', 'payment.payment_intent'],
  invoiceitem: ['customer', 'parent.subscription_details.subscription'],
  payment_method: ['customer'],
  payment_intent: ['customer'],
  charge: ['customer', 'payment_intent'],
  refund: ['charge'],
  customer_balance_transaction: ['customer'],
  'checkout.session': ['customer', 'subscription', 'payment_intent'],
  delivery: ['event'],
};

const TABLE_NAMES = [
  'customer',
  'product',
  'price',
  'price_detail',
  'billing.meter',
  'test_helpers.test_clock',
  'subscription',
  'subscription_schedule',
  'invoice',
  'invoice_payment',
  'invoiceitem',
  'last_debit',
  'pending_change',
  'preview',
  'coupon',
  'coupon_scope',
  'removed_coupon',
  'promotion_code',
  'discount',
  'payment_method',
  'payment_intent',
  'setup_intent',
  'charge',
  'refund',
  'dispute',
  'customer_balance_transaction',
  'checkout.session',
  'webhook_endpoint',
  'checkout_plan',
  'event',
  'delivery',
  'idempotent_response',
  'ledger',
  'declining_card',
] as const satisfies readonly TableName[];

/** One Stripe account: all data that one secret key can access. */
export class Account {
  readonly id: string;
  readonly livemode: boolean;
  readonly tables: AccountTables;
  /** Calls counted by "METHOD /v1/pattern", then by status. */
  readonly calls = new Map<string, Map<number, number>>();
  #state: AccountState;
  readonly #saveState: (state: AccountState) => void;

  constructor(
    id: string,
    livemode: boolean,
    state: AccountState,
    changeLog: ChangeLog,
    saveState: (state: AccountState) => void,
  ) {
    this.id = id;
    this.livemode = livemode;
    this.#state = state;
    this.#saveState = saveState;
    const tables = TABLE_NAMES.map(name => [name, new Table(name, changeLog, INDEXED[name])] as const);
    // Object.fromEntries loses the row type of each key; TABLE_NAMES lists every key once.
    this.tables = Object.fromEntries(tables) as unknown as AccountTables;
  }

  get state(): Readonly<AccountState> {
    return this.#state;
  }

  change(changes: Partial<AccountState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#saveState(this.#state);
  }

  /** Returns the account's time in Unix seconds. */
  now(): number {
    return Math.floor(Date.now() / 1000) + this.#state.clockOffset;
  }

  countCall(call: string, status: number): void {
    const statuses = this.calls.get(call) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.calls.set(call, statuses);
  }

  /** Returns the account as `GET /v1/account` does. */
  describe(): Pick<
    Stripe.Account,
    | 'id'
    | 'object'
    | 'business_profile'
    | 'business_type'
    | 'charges_enabled'
    | 'country'
    | 'created'
    | 'default_currency'
    | 'details_submitted'
    | 'email'
    | 'metadata'
    | 'payouts_enabled'
    | 'settings'
    | 'type'
  > {
    return {
      id: this.id,
      object: 'account',
      business_profile: null,
      business_type: 'company',
      charges_enabled: true,
      country: 'US',
      created: this.#state.created,
      default_currency: 'usd',
      details_submitted: true,
      email: 'owner@example.com',
      metadata: {},
      payouts_enabled: true,
      settings: null,
      type: 'standard',
    };
  }
}
