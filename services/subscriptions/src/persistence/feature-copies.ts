import type { EntityManager } from '@mikro-orm/postgresql';
import type { FeatureGiftState, FeatureState, GrantState } from '@billing/contracts/events/features';
import type { ProjectState } from '@billing/contracts/events/gateway';
import { executeBound } from '@billing/database/bound-statement';
import type { OwnedBy } from './copies.ts';
import { markConcerned, markStates } from './state-marks.ts';

/** The columns of a copy: those of its key, and the others beside the version. */
interface CopyTable {
  readonly table: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

const PROJECTS: CopyTable = { table: 'project_copies', key: ['id'], columns: ['team_id', 'grace_days'] };
const OF_PROJECT = ['team_id', 'project_id'];
const FEATURES: CopyTable = {
  table: 'feature_copies',
  key: [...OF_PROJECT, 'key'],
  columns: ['type', '"values"', 'merge', 'is_active'],
};
const GIFTS: CopyTable = {
  table: 'feature_gift_copies',
  key: [...OF_PROJECT, 'giver_id', 'key'],
  columns: ['value', 'per'],
};
const GRANTS: CopyTable = {
  table: 'grant_copies',
  key: [...OF_PROJECT, 'customer_id', 'key'],
  columns: ['value', 'expires_at'],
};

/** Saves copies of projects; a copy is replaced only by a newer version. */
export async function saveProjectCopies(tx: EntityManager, projects: readonly OwnedBy<ProjectState>[]): Promise<void> {
  await save(
    tx,
    PROJECTS,
    projects.map(({ teamId, state: { id, entitlementGraceDays, version } }) => ({
      id,
      team_id: teamId,
      grace_days: entitlementGraceDays,
      version,
    })),
  );
  await markConcerned(
    tx,
    projects.map(({ teamId, state: { id: projectId } }) => ({ teamId, projectId })),
  );
}

/** Saves copies of features; a copy is replaced only by a newer version. */
export async function saveFeatureCopies(tx: EntityManager, features: readonly OwnedBy<FeatureState>[]): Promise<void> {
  await save(
    tx,
    FEATURES,
    features.map(({ teamId, state: { projectId, isActive, ...state } }) => ({
      ...state,
      team_id: teamId,
      project_id: projectId,
      is_active: isActive,
    })),
  );
  await markConcerned(
    tx,
    features.map(({ teamId, state: { projectId, key: featureKey } }) => ({ teamId, projectId, featureKey })),
  );
}

/** Saves copies of what products and prices give. */
export async function saveGiftCopies(tx: EntityManager, gifts: readonly OwnedBy<FeatureGiftState>[]): Promise<void> {
  await save(
    tx,
    GIFTS,
    gifts.map(({ teamId, state: { projectId, giverId, ...state } }) => ({
      ...state,
      team_id: teamId,
      project_id: projectId,
      giver_id: giverId,
    })),
  );
  await markConcerned(
    tx,
    gifts.map(({ teamId, state: { projectId, giverId } }) => ({ teamId, projectId, giverId })),
  );
}

/** Saves copies of what was given to customers. */
export async function saveGrantCopies(tx: EntityManager, grants: readonly OwnedBy<GrantState>[]): Promise<void> {
  await save(
    tx,
    GRANTS,
    grants.map(({ teamId, state: { projectId, customerId, expiresAt, ...state } }) => ({
      ...state,
      team_id: teamId,
      project_id: projectId,
      customer_id: customerId,
      expires_at: expiresAt,
    })),
  );
  await markStates(
    tx,
    grants.map(({ teamId, state: { projectId, customerId: id } }) => ({ scope: { teamId, projectId }, id })),
  );
}

/** Of each object the newest version is saved: a statement can't update a row twice. */
async function save(
  em: EntityManager,
  { table, key, columns }: CopyTable,
  rows: readonly { readonly version: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = key.join(', ');
  const all = [ids, ...columns, 'version'].join(', ');
  const changes = [...columns, 'version'].map(column => `${column} = excluded.${column}`).join(', ');
  await executeBound(
    em,
    `insert into ${table} as copy (${all})
     select distinct on (${ids}) ${all} from json_populate_recordset(null::${table}, $1::json)
      order by ${ids}, version desc
     on conflict (${ids}) do update set ${changes} where copy.version < excluded.version`,
    [JSON.stringify(rows)],
  );
}
