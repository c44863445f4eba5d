import type { UnitOfWork } from '../api/unit-of-work.ts';
import type { TestClock } from './stored.ts';

/** An object that lives on a test clock, or in the account's time. */
interface Timed {
  test_clock?: string | null;
}

/** Returns the test clock of an object; undefined for one that lives in the account's time. */
export function clockOf(unit: UnitOfWork, row: Timed): TestClock | undefined {
  return typeof row.test_clock !== 'string' ? undefined : unit.tables['test_helpers.test_clock'].get(row.test_clock);
}

/** Sets the time of a unit of work to that of the object's test clock, if it has one. Returns the object. */
export function inItsTime<Row extends Timed>(unit: UnitOfWork, row: Row): Row {
  const clock = clockOf(unit, row);
  if (clock) unit.now = clock.frozen_time;
  return row;
}
