import { accountId } from '../domain/ids.ts';
import type { Tables } from '../objects/stored.ts';
import { Account, type AccountState, PLAIN_DELIVERY } from './account.ts';
import type { DataFile } from './data-file.ts';

/** All accounts of the processor, by id. Only a digest of a secret key is ever kept: it makes the account's id. */
export class Accounts {
  readonly #file: DataFile;
  readonly #accounts = new Map<string, Account>();

  constructor(file: DataFile) {
    this.#file = file;
    for (const { id, livemode, state } of file.accounts()) this.#restore(id, livemode, state);
  }

  /** The account that a secret key opens; made on the key's first use. */
  open(secretKey: string): Account {
    const id = accountId(secretKey);
    const existing = this.#accounts.get(id);
    if (existing) return existing;
    const now = Math.floor(Date.now() / 1000);
    const state = { created: now, clockOffset: 0, nextInvoiceNumber: 1, broughtUpTo: now, rules: PLAIN_DELIVERY };
    const livemode = /^[a-z]+_live_/.test(secretKey);
    this.#file.keepAccount({ id, livemode, state });
    return this.#add(id, livemode, state);
  }

  find(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  all(): Account[] {
    return [...this.#accounts.values()];
  }

  /** Empties an account; its key opens it again, as new. */
  reset(account: Account): void {
    for (const table of Object.values(account.tables)) table.clear();
    account.calls.clear();
    account.change({ clockOffset: 0, nextInvoiceNumber: 1, broughtUpTo: account.state.created, rules: PLAIN_DELIVERY });
  }

  #add(id: string, livemode: boolean, state: AccountState): Account {
    const keepState = (next: AccountState) => this.#file.keepAccount({ id, livemode, state: next });
    const account = new Account(id, livemode, state, this.#file.journal(id), keepState);
    this.#accounts.set(id, account);
    return account;
  }

  #restore(id: string, livemode: boolean, state: AccountState): void {
    const account = this.#add(id, livemode, state);
    const tables = new Map(Object.entries(account.tables));
    for (const { table, sequence, json } of this.#file.rows(id)) {
      // Rows are written only by tables of the same name, so the JSON has that table's shape.
      tables.get(table)?.load(sequence, JSON.parse(json) as Tables[keyof Tables] as never);
    }
  }
}
