import { noSuch } from '../api/errors.ts';
import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { Customer, TestClock } from './stored.ts';
import { kindOf, type TableName, type Tables } from './tables.ts';

/** A row that is not the stub of a deleted object. */
export type Live<Name extends TableName> = Exclude<Tables[Name], { deleted: true }>;

/**
 * Returns the object with this id, in whose time the unit of work goes on.
 * @throws ApiError when it does not exist or was deleted; `param` is the parameter with the id
 */
export function existing<Name extends TableName>(unit: UnitOfWork, name: Name, id: string, param = 'id'): Live<Name> {
  const row = find(unit, name, id);
  if (!row) throw noSuch(kindOf(name), id, param);
  return inItsTime(unit, row);
}

/** Returns the object with this id; undefined if it does not exist or was deleted. */
export function find<Name extends TableName>(
  unit: Pick<UnitOfWork, 'tables'>,
  name: Name,
  id: string | null | undefined,
): Live<Name> | undefined {
  const row = unit.tables[name].get(id ?? '');
  if (!row || isDeleted(row) || (name === 'coupon' && unit.tables.removed_coupon.get(row.id))) return undefined;
  // Stubs have the field that was checked.
  return row as Live<Name>;
}

/** Returns whether a row is the stub of a deleted object. */
export function isDeleted(row: object): row is { deleted: true; id: string } {
  return 'deleted' in row && row.deleted === true;
}

/** Returns the customer, or null if it does not exist or was deleted. */
export function customerOrNull(unit: Pick<UnitOfWork, 'tables'>, id: string | null): Customer | null {
  return find(unit, 'customer', id) ?? null;
}

/** Returns the test clock of an object; undefined for one that lives in the account's time. */
function clockOf(unit: UnitOfWork, row: object): TestClock | undefined {
  const id = 'test_clock' in row ? row.test_clock : null;
  return typeof id === 'string' ? unit.tables['test_helpers.test_clock'].get(id) : undefined;
}

/** Sets the time of a unit of work to that of the object's test clock, if it has one. Returns the object. */
export function inItsTime<Row extends object>(unit: UnitOfWork, row: Row): Row {
  const clock = clockOf(unit, row);
  if (clock) unit.now = clock.frozen_time;
  return row;
}
