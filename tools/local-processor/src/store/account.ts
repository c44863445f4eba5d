import type { Stripe } from 'stripe';
import type { Tables, TableName } from '../objects/stored.ts';
import { type Journal, Table } from './table.ts';

type AccountTables = { readonly [Name in TableName]: Table<Tables[Name]> };

/** How events leave the account; the control API sets it. */
export interface DeliveryRules {
  /** True keeps every new delivery back until it is released. */
  hold: boolean;
  /** How many times each event is sent to each endpoint. */
  copies: number;
  /** Collects what falls due within the window and sends it in an order drawn from the seed. */
  shuffle: { seed: number; windowMs: number } | null;
  /** How many of the next deliveries are lost: never sent, and never tried again by themselves. */
  dropNext: number;
  /** The event types these rules speak of; null means all. */
  types: string[] | null;
}

export const PLAIN_DELIVERY: DeliveryRules = { hold: false, copies: 1, shuffle: null, dropNext: 0, types: null };

/** What an account keeps beside its objects. */
export interface AccountState {
  created: number;
  /** How far the account's clock runs ahead of the real one, in seconds. */
  clockOffset: number;
  nextInvoiceNumber: number;
  /** Up to when everything that falls due has happened, in Unix seconds of the account. */
  broughtUpTo: number;
  rules: DeliveryRules;
}

const INDEXED: Partial<Record<TableName, readonly string[]>> = {
  customer: ['email'],
  price: ['product', 'lookup_key'],
  subscription: ['customer'],
  invoice: ['customer'],
  invoice_payment: ['invoice', 'payment.payment_intent'],
  payment_method: ['customer'],
  payment_intent: ['customer'],
  charge: ['customer', 'payment_intent'],
  customer_balance_transaction: ['customer'],
  'checkout.session': ['customer', 'subscription', 'payment_intent'],
  delivery: ['event'],
};

const TABLE_NAMES = [
  'customer',
  'product',
  'price',
  'subscription',
  'invoice',
  'invoice_payment',
  'payment_method',
  'payment_intent',
  'setup_intent',
  'charge',
  'customer_balance_transaction',
  'checkout.session',
  'webhook_endpoint',
  'checkout_plan',
  'event',
  'delivery',
  'kept_answer',
  'ledger',
  'declining_card',
] as const satisfies readonly TableName[];

/** One Stripe account: everything that one secret key may see. */
export class Account {
  readonly id: string;
  readonly livemode: boolean;
  readonly tables: AccountTables;
  /** Calls counted by "METHOD /v1/pattern", then by status. */
  readonly calls = new Map<string, Map<number, number>>();
  #state: AccountState;
  readonly #keepState: (state: AccountState) => void;

  constructor(
    id: string,
    livemode: boolean,
    state: AccountState,
    journal: Journal,
    keepState: (state: AccountState) => void,
  ) {
    this.id = id;
    this.livemode = livemode;
    this.#state = state;
    this.#keepState = keepState;
    const tables = TABLE_NAMES.map(name => [name, new Table(name, journal, INDEXED[name])] as const);
    // Object.fromEntries forgets which key goes with which row type; TABLE_NAMES lists every key once.
    this.tables = Object.fromEntries(tables) as unknown as AccountTables;
  }

  get state(): Readonly<AccountState> {
    return this.#state;
  }

  change(changes: Partial<AccountState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#keepState(this.#state);
  }

  /** The account's time in Unix seconds. */
  now(): number {
    return Math.floor(Date.now() / 1000) + this.#state.clockOffset;
  }

  countCall(call: string, status: number): void {
    const statuses = this.calls.get(call) ?? new Map<number, number>();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    this.calls.set(call, statuses);
  }

  /** The account as `GET /v1/account` shows it. */
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
