import type { EntityManager } from '@mikro-orm/postgresql';
import type { Envelope } from '@billing/contracts/fact';
import { ProcessorEventSettled } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import type { Settlement } from '#domain/settlement.ts';
import { settleEvents } from '#operations/settle-events.ts';

/** Keeps how the owners ended with events; reports that come at the same time share a transaction. */
export function reactToSettlements(em: EntityManager, logger: Logger): Inbox {
  return new Inbox(em, 'webhooks-settled', logger)
    .on(ProcessorEventSettled, (tx, _data, event) => settleEvents(tx, settlementsIn(event)))
    .together(async (tx, heard) => {
      await settleEvents(
        tx,
        heard.flatMap(({ event }) => settlementsIn(event)),
      );
      return heard;
    });
}

function settlementsIn({ teamId, data }: Envelope): Settlement[] {
  return ProcessorEventSettled.data.parse(data).settlements.map(it => ({ teamId, ...it }));
}
