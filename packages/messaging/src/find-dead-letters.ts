import type { EntityManager } from '@mikro-orm/postgresql';
import type { ServiceName } from '@billing/contracts/operation';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import {
  deadLetterIdOf,
  parseDeadLetterId,
  type DeadLetter,
  type DeadLetterWithData,
} from '@billing/contracts/resources/dead-letter';
import { UNEXPECTED } from './failure-reason.ts';

/** Which dead letters: those of a team that match everything that is given. */
export interface DeadLetterFilter {
  /** Null selects those of every team, which only an operator may. */
  readonly teamId: TeamId | null;
  readonly id?: string | undefined;
  readonly consumer?: string | undefined;
  readonly type?: string | undefined;
}

interface DeadLetterRow {
  readonly id: string;
  readonly team_id: TeamId;
  readonly consumer: string;
  readonly type: string;
  readonly event_id: string;
  readonly event: { readonly occurredAt: string; readonly data: Record<string, unknown> };
  readonly attempts: number;
  readonly reason: string | null;
  readonly error: string;
  readonly failed_ms: number;
  readonly is_retrying: boolean;
}

/** When it was given up, as precisely as callers see it. */
const FAILED_AT = `date_trunc('milliseconds', dead_lettered_at)`;
const COLUMNS = `id, team_id, consumer, type, event_id, attempts, reason, error, due_at is not null as is_retrying,
                 (extract(epoch from ${FAILED_AT}) * 1000)::float8 as failed_ms`;
/** What a list needs of the event, which may be large. */
const EVENT_HEAD = `json_build_object('occurredAt', event ->> 'occurredAt',
                      'data', json_build_object('projectId', event -> 'data' -> 'projectId')) as event`;

/** Returns the condition and its values; `service` is the one that owns the table. */
export function conditionOf(service: ServiceName, { teamId, id, consumer, type }: DeadLetterFilter) {
  const named = id === undefined ? undefined : parseDeadLetterId(id);
  const conditions: (readonly [sql: string, value: string | null | undefined])[] = [
    ['team_id = ?', teamId],
    ['id = ?::uuid', named?.service === service ? named.uuid : undefined],
    ['consumer = ?', consumer],
    ['type = ?', type],
  ];
  const given = conditions.filter(([, value]) => value !== undefined && value !== null);
  const ofOtherService = named && named.service !== service ? ['false'] : [];
  return {
    where: ['dead_lettered_at is not null', ...given.map(([sql]) => sql), ...ofOtherService].join(' and '),
    values: given.map(([, value]) => value),
  };
}

/** A dead letter, and what only the operator may see. */
export interface OwnedDeadLetter<Letter = DeadLetter> {
  readonly teamId: TeamId;
  readonly letter: Letter;
  /** The message of the error, whoever wrote it. */
  readonly cause: string;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  /** Only those that follow this one, which may be another service's. */
  readonly after?: { readonly at: Date; readonly id: string } | undefined;
}

/** Lists a page of dead letters of a service, newest first, and returns how many match in all. */
export async function listDeadLetters(
  em: EntityManager,
  service: ServiceName,
  filter: DeadLetterFilter,
  { limit, offset, after }: Page,
): Promise<[OwnedDeadLetter[], number]> {
  const { where, values } = conditionOf(service, filter);
  const following = after
    ? ` and (${FAILED_AT} < ? or ${FAILED_AT} = ? and '${deadLetterIdOf(service, '')}' || replace(id::text, '-', '') > ? collate "C")`
    : '';
  const rows = await em.fork().execute<DeadLetterRow[]>(
    `select ${COLUMNS}, ${EVENT_HEAD} from dead_letters where ${where}${following}
        order by ${FAILED_AT} desc, id limit ? offset ?`,
    [...values, ...(after ? [after.at, after.at, after.id] : []), limit, offset],
  );
  const [counted] = await em
    .fork()
    .execute<{ total: number }[]>(`select count(*)::int as total from dead_letters where ${where}`, values);
  return [
    rows.map(row => ({ teamId: row.team_id, letter: toDeadLetter(service, row), cause: row.error })),
    counted?.total ?? rows.length,
  ];
}

/** Returns a dead letter with the data of its event, or null. */
export async function findDeadLetter(
  em: EntityManager,
  service: ServiceName,
  filter: DeadLetterFilter & { readonly id: string },
): Promise<OwnedDeadLetter<DeadLetterWithData> | null> {
  const { where, values } = conditionOf(service, filter);
  const [row] = await em
    .fork()
    .execute<DeadLetterRow[]>(`select ${COLUMNS}, event from dead_letters where ${where}`, values);
  if (!row) return null;
  return { teamId: row.team_id, letter: { ...toDeadLetter(service, row), data: row.event.data }, cause: row.error };
}

const toDeadLetter = (service: ServiceName, row: DeadLetterRow): DeadLetter => ({
  id: deadLetterIdOf(service, row.id),
  service,
  consumer: row.consumer,
  type: row.type,
  eventId: row.event_id,
  projectId: projectOf(row.event.data),
  status: row.is_retrying ? 'retrying' : 'failed',
  attempts: row.attempts,
  error: row.reason ?? UNEXPECTED,
  occurredAt: new Date(row.event.occurredAt),
  failedAt: new Date(row.failed_ms),
});

const projectOf = ({ projectId }: Record<string, unknown>): ProjectId | null =>
  typeof projectId === 'string' ? (projectId as ProjectId) : null; // our own events name projects by their ids
