import { accountId } from '../domain/ids.ts';
import type { Tables } from '../objects/tables.ts';
import { Account, type AccountState, DEFAULT_RULES } from './account.ts';
import type { DataFile } from './data-file.ts';

/** All accounts of the processor, by id. Only a digest of the secret key is stored, as the account's id. */
export class Accounts {
  readonly #file: DataFile;
  readonly #accounts = new Map<string, Account>();
  /** The accounts of restricted keys, by a digest of the key. */
  readonly #ofRestrictedKeys = new Map<string, Account>();

  constructor(file: DataFile) {
    this.#file = file;
    for (const { id, livemode, state } of file.accounts()) this.#restore(id, livemode, state);
  }

  /**
   * Returns the account of a secret key, and the permissions that the key lacks. The first use of a key that is not a
   * restricted key of another account creates an account.
   */
  open(secretKey: string): { account: Account; missing: readonly string[] } {
    const id = accountId(secretKey);
    const account = this.#ofRestrictedKeys.get(id) ?? this.#accounts.get(id) ?? this.#create(id, secretKey);
    return { account, missing: account.state.restrictedKeys[id] ?? [] };
  }

  /** Makes a key a restricted key of an account, which lacks the permissions. */
  restrict(account: Account, restrictedKey: string, missing: readonly string[]): void {
    const id = accountId(restrictedKey);
    account.change({ restrictedKeys: { ...account.state.restrictedKeys, [id]: [...missing] } });
    this.#ofRestrictedKeys.set(id, account);
  }

  #create(id: string, secretKey: string): Account {
    const now = Math.floor(Date.now() / 1000);
    const state = {
      created: now,
      clockOffset: 0,
      nextInvoiceNumber: 1,
      dueUntil: now,
      rules: DEFAULT_RULES,
      restrictedKeys: {},
    };
    const livemode = /^[a-z]+_live_/.test(secretKey);
    this.#file.saveAccount({ id, livemode, state });
    return this.#add(id, livemode, state);
  }

  find(id: string): Account | undefined {
    return this.#accounts.get(id);
  }

  all(): Account[] {
    return [...this.#accounts.values()];
  }

  /** Resets an account to its initial state. */
  reset(account: Account): void {
    for (const table of Object.values(account.tables)) table.clear();
    account.calls.clear();
    const { created } = account.state;
    for (const id of Object.keys(account.state.restrictedKeys)) this.#ofRestrictedKeys.delete(id);
    const settings = { rules: DEFAULT_RULES, restrictedKeys: {} };
    account.change({ clockOffset: 0, nextInvoiceNumber: 1, dueUntil: created, ...settings });
  }

  #add(id: string, livemode: boolean, state: AccountState): Account {
    const saveState = (next: AccountState) => this.#file.saveAccount({ id, livemode, state: next });
    const account = new Account(id, livemode, state, this.#file.changeLog(id), saveState);
    this.#accounts.set(id, account);
    for (const key of Object.keys(state.restrictedKeys)) this.#ofRestrictedKeys.set(key, account);
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
