import type { EntityManager } from '@mikro-orm/postgresql';
import type { Envelope } from '@billing/contracts/fact';
import { ProcessorEventSettled } from '@billing/contracts/processor-events';
import { Inbox } from '@billing/messaging/inbox';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Settlement } from '#domain/settlement.ts';
import { settleEvents } from '#operations/settle-events.ts';

/** Keeps how the owners ended with events; reports that come at the same time share a transaction. */
export function reactToSettlements(em: EntityManager, logger: Logger): Inbox {
  return new Inbox(em, 'webhooks-settled', logger)
    .on(ProcessorEventSettled, (tx, data, event) => settleEvents(tx, [settlementOf(event, data)]))
    .together(async (tx, heard) => {
      await settleEvents(
        tx,
        heard.map(({ event }) => settlementOf(event, ProcessorEventSettled.data.parse(event.data))),
      );
      return heard;
    });
}

function settlementOf({ teamId }: Envelope, data: z.output<typeof ProcessorEventSettled.data>): Settlement {
  return { teamId, ...data };
}
