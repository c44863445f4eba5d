import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { EntityManager } from '@mikro-orm/postgresql';
import { withRawJson } from '@billing/contracts/raw-json';
import { executeBound } from '@billing/database/bound-statement';
import type { FindWebhookEventObject } from '@billing/contracts/rpc/calls';
import type { z } from 'zod';

/** Characters of one reply: with what stands around them less than a megabyte, the least that a NATS server takes. */
const PART = 900_000;

const zip = promisify(gzip);

type ObjectRequest = z.output<typeof FindWebhookEventObject.request>;

/** Finds a part of the object of a webhook event, or of what a sync read; null when its payload was deleted, or when there is no such event. */
export function findWebhookEventObject(em: EntityManager) {
  return async ({ teamId, eventId, part }: ObjectRequest) => {
    // The text as it is stored: parsed here, it would take several times the memory.
    const [row] = await executeBound<{ object: string; previous: string | null }>(
      em.fork(),
      `select (payload::json #> '{data,object}')::text as object, (payload::json #> '{data,previous_attributes}')::text as previous
         from webhook_events where team_id = $1 and id = $2 and payload is not null
       union all
       select object::text, null from sync_objects
        where team_id = $1 and sync_id || ':' || type || ':' || processor_id = $2 and object is not null
          and sync_id = split_part($2, ':', 1) and type = split_part($2, ':', 2)`,
      [teamId, eventId],
    );
    if (!row) return null;
    const json = withRawJson({}, { object: row.object, previousAttributes: row.previous ?? 'null' });
    const text = (await zip(json, { level: constants.Z_BEST_SPEED })).toString('base64');
    return { text: text.slice(part * PART, (part + 1) * PART), parts: Math.ceil(text.length / PART) };
  };
}
