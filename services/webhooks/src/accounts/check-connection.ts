import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { CountStoppedTax } from '@billing/contracts/rpc/accounts';
import { MAX_COUNTED } from '@billing/contracts/pagination';
import { Problem } from '@billing/contracts/problem';
import type { ProcessorHealth } from '@billing/contracts/resources/processor-health';
import { executeBound } from '@billing/database/bound-statement';
import type { RpcClient } from '@billing/messaging/rpc';
import { isRefused } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { TeamReads } from '@billing/service/team-reads';
import { readStoredBytes } from '../stored-bytes.ts';
import { judgeConnection, NEWEST_OF_PROJECT, type ConnectionState } from './connection-health.rules.ts';
import type { ProcessorAccount } from './processor-account.entity.ts';
import { requireAccount, webhookUrlOf, type ConnectionParts } from './connection.ts';

/** A webhook that is younger may be on its way, in milliseconds. */
const DELIVERY_MS = 60_000;

export interface CheckConnectionParts extends Pick<ConnectionParts, 'outbox' | 'publicUrl'> {
  readonly processors: TeamProcessors;
  readonly reads: TeamReads;
  readonly rpc: RpcClient;
  /** How many bytes a team may store. */
  readonly quotaBytes: number;
  readonly now: () => Date;
}

/**
 * Checks a team's connection: reads key, endpoint, undelivered events and time at the processor, and our tables about the
 * rest. What cannot be found out is `unknown`.
 * @throws Problem 409 `processor_not_connected`
 */
export function checkConnection({
  outbox: { em },
  processors,
  reads,
  rpc,
  publicUrl,
  quotaBytes,
  now,
}: CheckConnectionParts) {
  return async (teamId: TeamId): Promise<ProcessorHealth> => {
    const account = await requireAccount(em.fork(), teamId);
    const processor = await processors.of(teamId);
    const key = await checkKey(processor, account);
    const isUsable = key !== null && key.refused === null;
    const orNull = async <Value>(read: Promise<Value>): Promise<Value | null> => read.catch(nullForProblem);
    const [endpoints, undelivered, clock] = isUsable
      ? await Promise.all([
          orNull(processor.listWebhookEndpoints()),
          orNull(countUndelivered(processor, now())),
          orNull(processor.readClock()),
        ])
      : [null, null, null];
    const [counted, { signatures, events, report, bytes }] = await Promise.all([
      orNull(rpc.call(CountStoppedTax, { teamId })),
      reads(teamId, tables => readTables(tables, teamId)),
    ]);
    return judgeConnection({
      key,
      endpoints,
      webhookUrl: webhookUrlOf(publicUrl, teamId),
      apiVersion: API_VERSION,
      signatures,
      events: { ...events, undelivered },
      report,
      untaxed: counted && counted.subscriptions,
      storage: { bytes, quotaBytes },
      clockSkewSeconds: clock && Math.round((now().getTime() - clock.getTime()) / 1_000),
      now: now(),
    });
  };
}

/** Times are milliseconds since 1970. */
interface Row {
  readonly accepted: number;
  readonly refused: number;
  readonly acceptedMs: number | null;
  readonly failed: number;
  readonly unroutable: number;
  readonly newestMs: number | null;
  readonly finishedMs: number | null;
  readonly findings: number;
}

/** What a restricted key may not read, or the processor does not return, is unknown. */
function nullForProblem(err: unknown): null {
  if (err instanceof Problem) return null;
  throw err;
}

async function checkKey(processor: Processor, account: ProcessorAccount): Promise<ConnectionState['key']> {
  try {
    const { accountId } = await processor.findAccount();
    const missing = await processor.findMissingPermissions();
    return { refused: null, isOtherMode: accountId !== account.accountId, missing };
  } catch (err) {
    if (isRefused(err)) return { refused: err.message, isOtherMode: false, missing: [] };
    return nullForProblem(err);
  }
}

async function countUndelivered(processor: Processor, now: Date): Promise<number> {
  const { events } = await processor.listEvents({ undeliveredOnly: true });
  return events.filter(({ created }) => Number(created) * 1_000 < now.getTime() - DELIVERY_MS).length;
}

const ofPlace = (place: string): string => `
  (select received_at, recovered from webhook_events
    where team_id = $1 and ${place} and sync_id is null order by project_id desc, received_at desc, id desc limit ${NEWEST_OF_PROJECT})`;

/** Counts no further than lists do. */
const counted = (rows: string): string => `(${rows} limit ${MAX_COUNTED + 1})`;

/**
 * What our tables say, at a cost that does not grow with the team's events; counts may be any number above the last that is
 * counted. `report` is the newest sync that has compared everything, with what it found and did not repair.
 */
async function readTables(em: EntityManager, teamId: TeamId) {
  const [row] = await executeBound<Row>(
    em.fork(),
    `with newest as (
       select n.* from project_copies p cross join lateral ${ofPlace('project_id = p.project_id')} n where p.team_id = $1
       union all ${ofPlace('project_id is null')})
     select e.*, f.*, r.*, (select coalesce(sum(refused), 0)::int from refused_signatures
                             where team_id = $1 and minute > clock_timestamp() - interval '1 hour') as refused
       from (select (count(*) filter (where not recovered and received_at > clock_timestamp() - interval '1 hour'))::int as accepted,
                    (extract(epoch from max(received_at)) * 1000)::float8 as "newestMs",
                    (extract(epoch from max(received_at) filter (where not recovered)) * 1000)::float8 as "acceptedMs"
               from newest) e
      cross join (select count(*)::int as failed, (count(*) filter (where error like 'unroutable%'))::int as unroutable
                    from ${counted(`select error from webhook_events where team_id = $1 and status = 'failed' and sync_id is null`)} failed) f
       left join (select (extract(epoch from s.finished_at) * 1000)::float8 as "finishedMs",
                         (select count(*)::int
                            from ${counted(`select from sync_objects o
                                             where o.sync_id = s.id and o.outcome in ('missing', 'different', 'extra') and not o.applied`)} found) as findings
                    from syncs s where s.team_id = $1 and s.kind = 'account' and s.status = 'completed' order by s.finished_at desc limit 1) r on true`,
    [teamId],
  );
  if (!row) throw new Error('A query of counts returned no row.');
  const { accepted, refused, failed, unroutable, newestMs, acceptedMs, finishedMs, findings } = row;
  return {
    signatures: { accepted, refused, lastAcceptedAt: dateOf(acceptedMs) },
    events: { failed, unroutable, newestAt: dateOf(newestMs) },
    report: finishedMs === null ? null : { finishedAt: new Date(finishedMs), findings },
    bytes: await readStoredBytes(em.fork(), teamId),
  };
}

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));
