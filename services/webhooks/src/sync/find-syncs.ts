import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope, SyncId } from '@billing/contracts/ids';
import { MAX_COUNTED, skipped, toPage, type Page } from '@billing/contracts/pagination';
import { notFound } from '@billing/contracts/problem';
import {
  SYNC_TYPES,
  type FindingOutcome,
  type FindingType,
  type SyncFinding,
  type SyncKind,
  type Sync as SyncResource,
  type SyncType,
} from '@billing/contracts/resources/sync';
import { CatalogRun } from '#catalog/catalog-run';
import { executeBound } from '@billing/database/bound-statement';
import { markList, otherList } from '@billing/database/cursors';
import { findNewest } from '@billing/database/find-newest';
import { namesObjects } from './sync-access.rules.ts';
import { OF_OTHERS, type SyncFilter } from './sync-decision.rules.ts';
import { isRead, type SyncPhase } from './sync-stage.rules.ts';
import { parentTypeOf } from './synced-objects.rules.ts';
import { Sync } from './sync.entity.ts';
import { countObjects } from './complete-sync.ts';

/**
 * Finds a sync of the project.
 * @throws Problem 404
 */
export async function findSync(em: EntityManager, { teamId, projectId }: ProjectScope, id: SyncId): Promise<Sync> {
  const sync = await em.findOne(Sync, { id, teamId, projectId });
  if (!sync) throw notFound('sync');
  return sync;
}

/** Returns a sync as callers see it; what one that goes on has decided so far is counted. */
export async function describeSync(em: EntityManager, sync: Sync): Promise<SyncResource> {
  const { id, projectId, kind, mode, status, types, filter, markAtProcessor, nightly, error } = sync;
  const counts = sync.counts ?? (await countObjects(em, sync));
  const progress: SyncResource['progress'] = {};
  for (const type of types) {
    const { applied: _applied, extra: _extra, ...read } = { applied: 0, extra: 0, ...counts[type] };
    const sum = Object.values(read).reduce((total, count) => total + count, 0);
    progress[type] = { read: sum, total: status === 'completed' || isCompared(sync, type) ? sum : null };
  }
  const { createdAt, startedAt, finishedAt } = sync;
  const wanted = {
    kind,
    catalog: await describeRun(em, sync),
    mode,
    types,
    filter: { ...filter, metadata: { ...filter.metadata } },
    markAtProcessor,
    nightly,
  };
  return { id, projectId, status, ...wanted, progress, counts, error, createdAt, startedAt, finishedAt };
}

/** Returns whether every object of a type is counted. */
function isCompared({ kind, types, type: at, phase }: Sync, type: FindingType): boolean {
  if (kind === 'catalog') return phase !== 'compare';
  const [all, accountType] = [types.filter(isSyncType), isSyncType(type) ? type : null];
  // The phases of a sync with the account.
  return accountType !== null && isRead({ types: all }, { type: at, phase: phase as SyncPhase }, accountType);
}

const isSyncType = (type: FindingType): type is SyncType => SYNC_TYPES.some(it => it === type);

async function describeRun(
  em: EntityManager,
  { id: syncId, kind, teamId, projectId }: Sync,
): Promise<SyncResource['catalog']> {
  if (kind === 'account') return null;
  const fields = ['prune', 'adopt', 'reportId'] as const;
  const run = await em.findOne(CatalogRun, { syncId, teamId, projectId }, { fields });
  return run && { prune: run.prune, adopt: run.adopt, reportId: run.reportId };
}

/** Lists a project's syncs, newest first. */
export async function listSyncs(em: EntityManager, { teamId, projectId }: ProjectScope, { kind, ...page }: ListQuery) {
  const fork = em.fork();
  const [rows, pagination] = await findNewest(fork, Sync, { teamId, projectId, kind }, page);
  const syncs: SyncResource[] = [];
  // One after the other, for each may take a connection.
  for (const row of rows) syncs.push(await describeSync(fork, row));
  return { syncs, pagination };
}

const PARENT_TYPES = SYNC_TYPES.map(type => `when '${type}' then '${parentTypeOf(type) ?? ''}'`).join(' ');

/** A condition: whether an object of a sync is surely the project's. */
const isOwn = (filter: SyncFilter): string =>
  `(${namesObjects(filter)} or record_id is not null) and coalesce(reason, '') !~ '${OF_OTHERS}|_unknown$'`;

interface ListQuery extends Page {
  readonly kind?: SyncKind | undefined;
}

interface FindingQuery extends Page {
  readonly type?: FindingType | null | undefined;
  readonly outcome?: FindingOutcome | null | undefined;
  readonly applied?: boolean | null | undefined;
  /** Leaves out what is not surely the project's: objects without a record that no mark of the tenant's names. */
  readonly ownOnly?: boolean;
}

/** Lists what a sync has found, by type and Stripe's id. What still may be on its way is left out. */
export async function listFindings(
  em: EntityManager,
  { teamId, projectId, id, kind, filter }: Pick<Sync, 'teamId' | 'projectId' | 'id' | 'kind' | 'filter'>,
  { type = null, outcome = null, applied = null, ownOnly = false, ...page }: FindingQuery,
) {
  const { cursor } = page;
  const list = markList(page, id, { teamId, projectId });
  if (cursor && cursor.ids.length !== 2) throw otherList();
  const [afterType = null, afterId = null] = cursor?.ids ?? [];
  const from = `from sync_objects
    where sync_id = $1 and team_id = $2 and project_id = $3 and state <> 'suspect' and outcome <> 'same'
      and ($4::text is null or type = $4) and ($5::text is null or outcome = $5)
      and ($6::boolean is null or applied = $6)
      ${ownOnly && kind === 'account' ? `and ${isOwn(filter)}` : ''}`;
  const values = [id, teamId, projectId, type, outcome, applied];
  const found = await executeBound<SyncFinding & { readonly place: string }>(
    em.fork(),
    `select type, processor_id as place, case $11 when 'account' then processor_id end as "processorId", record_id as id, name,
            outcome, fields, reason, applied, case $11 when 'catalog' then processor_id end as key, action,
            live_subscriptions as "liveSubscriptions",
            case when action = 'replace' and type = 'price' then
              json_build_object('fromPriceId', record_id, 'toPriceKey', processor_id)
            end as migration,
            case when parent_id is not null then
              json_build_object('type', case type ${PARENT_TYPES} end,
                                'processorId', parent_id, 'id', parent_record_id, 'name', parent_name)
            end as "belongsTo" ${from}
        and ($9::text is null or (type, processor_id) > ($9, $10))
      order by type, processor_id limit $7 offset $8`,
    [...values, page.limit + 1, skipped(page), afterType, afterId, kind],
  );
  const [counted] = await executeBound<{ total: number }>(
    em.fork(),
    `select count(*)::int as total from (select ${from} limit ${MAX_COUNTED + 1}) counted`,
    values,
  );
  const placeOf = ({ type: of, place }: (typeof found)[number]) => ({ list, at: null, ids: [of, place] });
  const [items, pagination] = toPage(page, found, counted?.total ?? 0, placeOf, MAX_COUNTED);
  return { findings: items.map(({ place: _place, ...finding }) => finding), pagination };
}
