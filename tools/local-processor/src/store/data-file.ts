import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { AccountState } from './account.ts';
import type { ChangeLog } from './table.ts';

interface PendingRow {
  account: string;
  table: string;
  id: string;
  sequence: number;
  json: string | null;
}

interface SavedAccount {
  id: string;
  livemode: boolean;
  state: AccountState;
}

interface SavedRow {
  table: string;
  sequence: number;
  json: string;
}

/** The persistent state of a processor. Changes are buffered, and `flush` writes them in one transaction. */
export interface DataFile {
  changeLog(account: string): ChangeLog;
  saveAccount(account: SavedAccount): void;
  accounts(): SavedAccount[];
  rows(account: string): SavedRow[];
  flush(): void;
  close(): void;
}

/** A data file that stores nothing: all state is in memory. */
export const noDataFile: DataFile = {
  changeLog: () => ({ written: () => {}, removed: () => {} }),
  saveAccount: () => {},
  accounts: () => [],
  rows: () => [],
  flush: () => {},
  close: () => {},
};

/** Opens the SQLite file at `path`, or creates it. Flushed changes survive a crash of the process. */
export function openDataFile(path: string): DataFile {
  const database = new DatabaseSync(path);
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create table if not exists account (id text primary key, livemode integer not null, state text not null) strict;
    create table if not exists object (
      account text not null, "table" text not null, id text not null, sequence integer not null, json text not null,
      primary key (account, "table", id)
    ) strict, without rowid;
  `);
  return new SqliteDataFile(database);
}

class SqliteDataFile implements DataFile {
  readonly #database: DatabaseSync;
  readonly #write: StatementSync;
  readonly #remove: StatementSync;
  readonly #pending = new Map<string, PendingRow>();
  readonly #pendingAccounts = new Map<string, SavedAccount>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#write = database.prepare('insert or replace into object values (?, ?, ?, ?, ?)');
    this.#remove = database.prepare('delete from object where account = ? and "table" = ? and id = ?');
  }

  changeLog(account: string): ChangeLog {
    const buffer = (row: PendingRow) => this.#pending.set(`${account} ${row.table} ${row.id}`, row);
    return {
      written: (table, id, sequence, row) => buffer({ account, table, id, sequence, json: JSON.stringify(row) }),
      removed: (table, id) => buffer({ account, table, id, sequence: 0, json: null }),
    };
  }

  saveAccount(account: SavedAccount): void {
    this.#pendingAccounts.set(account.id, account);
  }

  accounts(): SavedAccount[] {
    const rows = this.#database.prepare('select id, livemode, state from account').all();
    return rows.map(row => ({
      id: String(row['id']),
      livemode: row['livemode'] === 1,
      // Only flush writes the column, from an AccountState.
      state: JSON.parse(String(row['state'])) as AccountState,
    }));
  }

  rows(account: string): SavedRow[] {
    const select = 'select "table", sequence, json from object where account = ? order by sequence';
    return this.#database
      .prepare(select)
      .all(account)
      .map(row => ({
        table: String(row['table']),
        sequence: Number(row['sequence']),
        json: String(row['json']),
      }));
  }

  flush(): void {
    // A request that was interrupted by the shutdown may flush after close.
    if (!this.#database.isOpen || (this.#pending.size === 0 && this.#pendingAccounts.size === 0)) return;
    this.#database.exec('begin');
    try {
      this.#writePending();
      this.#database.exec('commit');
    } catch (error) {
      // On a full disk SQLite has rolled back by itself.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
    this.#pending.clear();
    this.#pendingAccounts.clear();
  }

  #writePending(): void {
    const writeAccount = this.#database.prepare('insert or replace into account values (?, ?, ?)');
    for (const { id, livemode, state } of this.#pendingAccounts.values())
      writeAccount.run(id, livemode ? 1 : 0, JSON.stringify(state));
    for (const { account, table, id, sequence, json } of this.#pending.values()) {
      if (json === null) this.#remove.run(account, table, id);
      else this.#write.run(account, table, id, sequence, json);
    }
  }

  close(): void {
    this.flush();
    this.#database.close();
  }
}
