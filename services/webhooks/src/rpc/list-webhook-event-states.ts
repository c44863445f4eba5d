import type { EntityManager } from '@mikro-orm/postgresql';
import type { ListWebhookEventStates } from '@billing/contracts/rpc/list-states';
import type { z } from 'zod';
import type { RecordRow } from '#pipeline/records.ts';

type Row = Pick<RecordRow, 'id' | 'projectId' | 'status' | 'version'> & {
  /** Milliseconds since 1970. */
  readonly recorded: number;
};

type Request = z.output<typeof ListWebhookEventStates.request>;

/** Lists a part of a project's webhook events in the order in which they were received, with what statistics need. */
export function listWebhookEventStates(em: EntityManager) {
  return async ({ teamId, projectId, after, limit }: Request) => {
    const rows = await em.fork().execute<Row[]>(
      `select id, project_id as "projectId", status, version,
              (extract(epoch from coalesce(processed_at, received_at)) * 1000)::float8 as recorded
         from webhook_events
        where team_id = ? and project_id = ? and sync_id is null
          and (?::text is null
               or (received_at, id) > ((select received_at from webhook_events where team_id = ? and id = ?), ?))
        order by received_at, id limit ?`,
      [teamId, projectId, after, teamId, after, after, limit],
    );
    const records = rows.map(({ recorded, ...state }) => ({ recordedAt: new Date(recorded), state }));
    return { records, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
  };
}
