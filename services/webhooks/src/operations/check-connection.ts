import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import { conflict, Problem } from '@billing/contracts/problem';
import type { ProcessorHealth } from '@billing/contracts/resources/processor-health';
import { executeBound } from '@billing/database/bound-statement';
import { ProcessorError } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import { API_VERSION } from '@billing/processor/stripe-client';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { judgeConnection, type ConnectionState } from '#domain/connection-health.ts';
import { ProcessorAccount } from '#persistence/processor-account.entity.ts';
import { webhookUrlOf } from './describe-webhook-url.ts';

/** A webhook that is younger may be on its way, in milliseconds. */
const DELIVERY_MS = 60_000;

interface CheckConnectionParts {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly publicUrl: string;
  readonly now: () => Date;
}

/**
 * Checks a team's connection: asks the processor about key, endpoint, undelivered events and time, and our tables about the
 * rest. What cannot be found out is `unknown`.
 * @throws Problem 409 `processor_not_connected`
 */
export function checkConnection({ em, processors, publicUrl, now }: CheckConnectionParts) {
  return async (teamId: TeamId): Promise<ProcessorHealth> => {
    const account = await em.fork().findOne(ProcessorAccount, { teamId });
    if (!account?.sealedSecretKey)
      throw conflict('processor_not_connected', 'The payment processor is not connected to this team.');
    const processor = await processors.of(teamId);
    const key = await checkKey(processor, account);
    const isUsable = key !== null && key.refused === null;
    const ask = async <Value>(question: Promise<Value>): Promise<Value | null> => question.catch(nullForProblem);
    const [endpoints, undelivered, clock] = isUsable
      ? await Promise.all([
          ask(processor.listWebhookEndpoints()),
          ask(countUndelivered(processor, now())),
          ask(processor.readClock()),
        ])
      : [null, null, null];
    return judgeConnection({
      key,
      endpoints,
      webhookUrl: webhookUrlOf(publicUrl, teamId),
      apiVersion: API_VERSION,
      signatures: await readSignatures(em, teamId),
      events: { ...(await readEvents(em, teamId)), undelivered },
      report: await readLastReport(em, teamId),
      clockSkewSeconds: clock && Math.round((now().getTime() - clock.getTime()) / 1_000),
      now: now(),
    });
  };
}

/** What a restricted key may not read, or the processor does not answer, is unknown. */
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
    if (err instanceof ProcessorError && !err.isIndeterminate)
      return { refused: err.message, isOtherMode: false, missing: [] };
    return nullForProblem(err);
  }
}

async function countUndelivered(processor: Processor, now: Date): Promise<number> {
  const { events } = await processor.listEvents({ undeliveredOnly: true });
  return events.filter(({ created }) => Number(created) * 1_000 < now.getTime() - DELIVERY_MS).length;
}

async function readSignatures(em: EntityManager, teamId: TeamId): Promise<ConnectionState['signatures']> {
  const [row] = await executeBound<{ accepted: number; refused: number; last_ms: number | null }>(
    em.fork(),
    `select (select count(*)::int from webhook_events
              where team_id = $1 and sync_id is null and not recovered and received_at > clock_timestamp() - interval '1 hour') as accepted,
            (select coalesce(sum(refused), 0)::int from refused_signatures
              where team_id = $1 and minute > clock_timestamp() - interval '1 hour') as refused,
            (select (extract(epoch from max(received_at)) * 1000)::float8 from webhook_events
              where team_id = $1 and sync_id is null and not recovered) as last_ms`,
    [teamId],
  );
  const { accepted = 0, refused = 0, last_ms: lastMs = null } = row ?? {};
  return { accepted, refused, lastAcceptedAt: lastMs === null ? null : new Date(lastMs) };
}

async function readEvents(em: EntityManager, teamId: TeamId) {
  const [row] = await executeBound<{ failed: number; unroutable: number; newest_ms: number | null }>(
    em.fork(),
    `select (count(*) filter (where status = 'failed'))::int as failed,
            (count(*) filter (where status = 'failed' and error like 'unroutable%'))::int as unroutable,
            (extract(epoch from max(received_at)) * 1000)::float8 as newest_ms
       from webhook_events where team_id = $1 and sync_id is null`,
    [teamId],
  );
  const { failed = 0, unroutable = 0, newest_ms: newestMs = null } = row ?? {};
  return { failed, unroutable, newestAt: newestMs === null ? null : new Date(newestMs) };
}

/** The newest sync that has compared everything, with what it found and did not repair. */
async function readLastReport(em: EntityManager, teamId: TeamId): Promise<ConnectionState['report']> {
  const [row] = await executeBound<{ finished_ms: number; findings: number }>(
    em.fork(),
    `select (extract(epoch from s.finished_at) * 1000)::float8 as finished_ms,
            (select count(*)::int from sync_objects o
              where o.sync_id = s.id and o.outcome in ('missing', 'different', 'extra') and not o.applied) as findings
       from syncs s where s.team_id = $1 and s.status = 'completed' order by s.finished_at desc limit 1`,
    [teamId],
  );
  return row ? { finishedAt: new Date(row.finished_ms), findings: row.findings } : null;
}
