import type { EntityManager } from '@mikro-orm/postgresql';
import { CATALOG_TYPES, type CatalogType } from '@billing/contracts/resources/sync';
import { executeBound } from '@billing/database/bound-statement';
import { countBytes } from '../stored-bytes.ts';
import { leavesSubscriptions, type CatalogFinding } from './finding.rules.ts';
import type { CatalogItems } from './items.rules.ts';
import { OBJECT_CHANGE } from '#sync/object-rows';
import type { Sync } from '#sync/sync.entity';

type Run = Pick<Sync, 'id' | 'teamId' | 'projectId' | 'mode'>;

interface SavedFinding extends Omit<CatalogFinding, 'outcome'> {
  readonly outcome: CatalogFinding['outcome'] | 'same';
  readonly liveSubscriptions: number | null;
}

/**
 * Saves the findings of a run among those of syncs, under the key in place of the processor's id; what is the same counts, too.
 * @param live subscriptions by price
 */
export async function saveFindings(
  em: EntityManager,
  { id, teamId, projectId, mode }: Run,
  findings: readonly CatalogFinding[],
  { wanted, live }: { readonly wanted: CatalogItems; readonly live: Readonly<Record<string, number>> },
): Promise<void> {
  const rows = [...findings, ...sameOf(wanted, findings)].map((finding): SavedFinding => ({
    ...finding,
    liveSubscriptions: leavesSubscriptions(finding) ? (live[finding.id ?? ''] ?? 0) : null,
  }));
  await executeBound(
    em,
    `with saved as (
     insert into sync_objects
            (sync_id, type, processor_id, team_id, project_id, state, read_at, is_marked, outcome, record_id, name, fields,
             reason, applied, checks, action, live_subscriptions)
     select $1, o.type, o.key, $2, $3, case when o.action = 'none' or $4 = 'report' then 'done' else 'confirmed' end,
            clock_timestamp(), false, o.outcome, o.id, o.name, o.fields, o.reason, false, 0, o.action, o."liveSubscriptions"
       from json_to_recordset($5::json) as
            o(type text, key text, id text, outcome text, action text, name text, fields jsonb, reason text,
              "liveSubscriptions" int)
     on conflict (sync_id, type, processor_id) do nothing
     returning ${OBJECT_CHANGE})
     ${countBytes('saved')}`,
    [id, teamId, projectId, mode, JSON.stringify(rows)],
  );
}

const KEYS = {
  feature: ({ features = [] }) => features.map(({ key }) => key),
  product: ({ products = [] }) => products.map(({ key }) => key),
  price: ({ prices = [] }) => prices.map(({ key }) => key),
  coupon: ({ coupons = [] }) => coupons.map(({ key }) => key),
  promotion_code: ({ codes = [] }) => codes.map(({ code }) => code),
  portal: ({ portal }) => (portal ? ['portal'] : []),
  settings: ({ settings }) => (settings ? ['settings'] : []),
} as const satisfies Record<CatalogType, (items: CatalogItems) => string[]>;

/** Returns what a document has as the project has it. */
function sameOf(wanted: CatalogItems, findings: readonly CatalogFinding[]) {
  const found = new Set(findings.map(({ type, key }) => `${type} ${key}`));
  return CATALOG_TYPES.flatMap(type =>
    KEYS[type](wanted)
      .filter(key => !found.has(`${type} ${key}`))
      .map(
        key =>
          ({ type, key, id: null, outcome: 'same', action: 'none', name: null, fields: [], reason: null }) as const,
      ),
  );
}

const FINDING = `type, processor_id as key, record_id as id, outcome, action, name, fields, reason`;

/** Returns all findings of a run. */
export const allFindings = (
  em: EntityManager,
  { id, teamId, projectId }: Omit<Run, 'mode'>,
): Promise<readonly CatalogFinding[]> =>
  executeBound<CatalogFinding>(
    em,
    `select ${FINDING} from sync_objects
      where sync_id = $1 and team_id = $2 and project_id = $3 and outcome <> 'same' order by type, processor_id`,
    [id, teamId, projectId],
  );

/** Returns the next findings of these types that are still to be applied, behind a place. */
export const nextFindings = (
  em: EntityManager,
  { id, teamId, projectId }: Omit<Run, 'mode'>,
  types: readonly CatalogType[],
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly CatalogFinding[]> =>
  executeBound<CatalogFinding>(
    em,
    `select ${FINDING} from sync_objects
      where sync_id = $1 and team_id = $2 and project_id = $3 and state = 'confirmed' and type = any($4::text[])
        and type || ' ' || processor_id > $5 order by type || ' ' || processor_id limit $6`,
    [id, teamId, projectId, [...types], after ?? '', limit],
  );

/** What became of a finding; one that is neither applied nor refused goes on in a later pass. */
export interface Outcome extends Pick<CatalogFinding, 'type' | 'key' | 'id'> {
  readonly isDone: boolean;
  /** Why it was not applied; null when it was, or is going on. */
  readonly reason: string | null;
}

/** Notes what became of a finding. */
export async function noteOutcome(em: EntityManager, run: Pick<Run, 'id'>, outcome: Outcome): Promise<void> {
  const { type, key, id, isDone, reason } = outcome;
  await executeBound(
    em,
    `update sync_objects
        set record_id = coalesce($4, record_id), reason = $5, applied = $6,
            state = case when $6 or $5::text is not null then 'done' else state end
      where sync_id = $1 and type = $2 and processor_id = $3`,
    [run.id, type, key, id, reason, isDone && reason === null],
  );
}
