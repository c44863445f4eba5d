import type { TestClockId } from '@billing/contracts/ids';
import type { ClockTarget } from '@billing/contracts/resources/test-clock';
import { leaseRows, type LeasedTable } from '@billing/database/lease-rows';
import { heldRows, LEASE_SECONDS, type LongWork } from '@billing/processor/turns';
import type { EntityManager } from '@mikro-orm/postgresql';

const CLOCKS: LeasedTable = {
  table: 'test_clocks',
  key: ['id'],
  leaseSeconds: LEASE_SECONDS,
  maxPerTeam: { ofTeam: 2, ofAll: 1_000, least: 0, isInFlight: 'lease_id is not null', weight: '1' },
  columns: `id, team_id as "teamId", project_id as "projectId", processor_id as "processorId", failures, lease_id as "leaseId",
    jsonb_build_object('targetMs', (extract(epoch from target) * 1000)::float8, 'until', until) as stage`,
};

/** Where a clock is to go. */
export interface Stage {
  /** In milliseconds since 1970. */
  readonly targetMs: number;
  readonly until: ClockTarget | null;
}

/** A clock that this process advances. */
export interface LeasedClock extends LongWork {
  readonly id: TestClockId;
  readonly processorId: string;
  readonly stage: Stage;
}

/** Leases up to `limit` clocks that are to advance. */
export const leaseClocks = async (em: EntityManager, limit: number): Promise<readonly LeasedClock[]> =>
  (await leaseRows<LeasedClock>(em, CLOCKS, limit)).rows;

/** Sets columns of a clock whose lease is held; false when it is not. */
export const updateHeld = heldRows('test_clocks');
