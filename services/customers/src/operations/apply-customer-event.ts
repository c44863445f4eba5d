import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import type { Publish } from '@billing/messaging/outbox';
import { decideOnEvent, later } from '@billing/processor/event-order';
import type { CustomerSnapshot } from '@billing/processor/port';
import type { Source } from '@billing/service/save-record';
import type { Logger } from 'pino';
import { hasMoved } from '#domain/billing.ts';
import { atProcessor, isSameContent, toContent } from '#domain/customer.ts';
import { takeEmail } from '#persistence/customer-identifiers.ts';
import type { LinkedCustomer } from '#persistence/customer.entity.ts';
import { saveContent, saveDeleted } from './save-customer.ts';

/** What was found out about an event. It holds as long as the record has the same version. */
export interface Prepared {
  readonly version: number;
  /** The customer as it was read at the processor; null where the event alone decides. */
  readonly reread: CustomerSnapshot | null;
}

interface CustomerEvent {
  readonly scope: ProjectScope;
  readonly snapshot: CustomerSnapshot;
  /** Whether the processor has deleted the customer; the event carries it as it was before. */
  readonly isDeletion: boolean;
  readonly source: Source;
  readonly prepared: Prepared | null | undefined;
}

/**
 * Applies an event to the record of its customer. Returns false, with nothing changed, for an event that has to be
 * prepared, because only the processor knows which state holds. The caller frees the e-mails that the customer no longer
 * has (`releaseIdentifiers`) and gives it the one that it waits for (`settleEmails`).
 */
export function applyCustomerEvent({ now, logger }: { readonly now: () => Date; readonly logger: Logger }) {
  return async (
    tx: EntityManager,
    publish: Publish,
    customer: LinkedCustomer,
    event: CustomerEvent,
  ): Promise<boolean> => {
    const { scope, snapshot, source } = event;
    const { at, ...origin } = source;
    if (!snapshot.deleted) customer.processorCreatedAt ??= snapshot.createdAt;
    if (event.isDeletion) {
      saveDeleted(tx, publish, customer, { now: now(), ...source });
      return true;
    }
    if (customer.deletedAt) return true;
    if (snapshot.deleted) return true;
    const received = toContent(snapshot, scope, customer, at);
    const decision = decideOnEvent(customer, at, isSameContent(atProcessor(customer), received));
    if (decision === 'ignore') return true;

    const prepared = event.prepared?.version === customer.version ? event.prepared : null;
    const isRead = decision === 'reread' || (decision === 'apply' && hasMoved(snapshot, customer));
    const current = isRead ? prepared?.reread : snapshot;
    if (!current) return false;
    if (current.deleted) {
      // After the event; the event of the deletion has the time.
      saveDeleted(tx, publish, customer, { now: now(), ...origin });
      return true;
    }
    const found = toContent(current, scope, customer, at);
    const isFree = found.email === customer.email || (await takeEmail(tx, scope, customer.id, found.email));
    if (!isFree)
      logger.warn({ customerId: customer.id }, 'e-mail not changed yet, another customer of the project has it');
    const content = isFree ? found : { ...found, email: customer.email };
    saveContent(tx, publish, customer, { now: now(), ...source, content });
    customer.wantedEmail = isFree ? null : found.email;
    customer.processorUpdatedAt = later(customer.processorUpdatedAt, at);
    if (isSameContent(found, received)) customer.awaitsWebhook = false;
    return true;
  };
}
