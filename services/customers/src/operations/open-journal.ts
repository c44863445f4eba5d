import type { EntityManager } from '@mikro-orm/postgresql';
import { openJournal, type Journal } from '@billing/processor/journal/write-journal';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { Logger } from 'pino';
import { createCustomerWrite } from './create-customer.ts';
import { updateCustomerWrite } from './update-customer.ts';

interface CustomersJournalOptions {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
  readonly logger: Logger;
}

/** The journal of every kind of write this service makes at the processor. */
export function openCustomersJournal(options: CustomersJournalOptions): Journal {
  return openJournal({ ...options, kinds: [createCustomerWrite(options.em), updateCustomerWrite] });
}
