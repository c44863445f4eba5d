import type { EntityManager } from '@mikro-orm/postgresql';
import type { Envelope } from '@billing/contracts/event';
import { ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import type { Completion } from '#domain/completion.ts';
import { settleEvents } from '#operations/settle-events.ts';

/** Keeps how the owners ended with events; reports that come at the same time share a transaction. */
export function reactToSettlements(em: EntityManager, logger: Logger): Inbox {
  return new Inbox(em, 'webhooks-settled', logger)
    .on(ProcessorEventCompleted, (tx, _data, event) => settleEvents(tx, completionsIn(event)))
    .together(async (tx, heard) => {
      await settleEvents(
        tx,
        heard.flatMap(({ event }) => completionsIn(event)),
      );
      return heard;
    });
}

function completionsIn({ teamId, data }: Envelope): Completion[] {
  return ProcessorEventCompleted.data.parse(data).completions.map(it => ({ teamId, ...it }));
}
