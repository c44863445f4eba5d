import { BACKGROUND, UnitOfWork } from '../api/unit-of-work.ts';
import type { TableName, Tables } from '../objects/tables.ts';
import { Account } from '../store/account.ts';

/**
 * Changes of long ago: without entries in the ledger, which is for what callers create, and without events, of which the
 * processor keeps those of 30 days. `now` moves with what happens.
 */
export class PastUnit extends UnitOfWork {
  override create<Name extends TableName>(name: Name, row: Tables[Name]): Tables[Name] {
    this.tables[name].put(row);
    return row;
  }

  /** Compares nothing, since no event tells of the change. */
  override update<Name extends TableName, Row extends Tables[Name]>(name: Name, row: Row, changes: Partial<Row>): Row {
    const changed = { ...row, ...changes };
    this.tables[name].put(changed);
    return changed;
  }

  override emit(): void {}
}

/** Returns a unit on an account of its own, with the identity of another one, to build a past apart from it. */
export function apartFrom({ id, livemode, state }: Account, publicUrl: string): PastUnit {
  const nowhere = { written: () => {}, removed: () => {} };
  return new PastUnit(new Account(id, livemode, { ...state }, nowhere, () => {}), BACKGROUND, publicUrl);
}
