import type { Stripe } from 'stripe';
import { TABLES, type Tables, type TableName } from '../objects/tables.ts';
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

/** The state of an account apart from its objects. */
export interface AccountState {
  created: number;
  /** The offset of the account's clock from the real time, in seconds. */
  clockOffset: number;
  nextInvoiceNumber: number;
  /** All changes that were due until this time have been applied; Unix seconds of the account's clock. */
  dueUntil: number;
  rules: DeliveryRules;
  /** The permissions that restricted keys of this account lack, by a digest of the key. */
  restrictedKeys: Record<string, string[]>;
}

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
    const tables = Object.entries(TABLES).map(([name, { indexed }]) => [name, new Table(name, changeLog, indexed)]);
    // Object.fromEntries loses the row type of each key.
    this.tables = Object.fromEntries(tables);
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
  describe(): Partial<Stripe.Account> {
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
