import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { EXTERNAL_ID_KEY } from '@billing/contracts/metadata';
import type { Publish } from '@billing/messaging/outbox';
import type { CustomerSnapshot } from '@billing/processor/port';
import { isLostByRestore } from '@billing/service/restores';
import { toContent } from '#domain/customer.ts';
import { takeIdentifier } from '#persistence/customer-identifiers.ts';
import { Customer, isLinked, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { publishCreated } from './save-customer.ts';

interface LostCustomer {
  readonly scope: ProjectScope;
  readonly snapshot: CustomerSnapshot;
  /** When the event happened at the processor. */
  readonly createdAt: Date;
}

/**
 * Creates the record of a customer again that a caller created after the backup that was restored: the processor has its id
 * in the metadata. Its subscriptions and invoices are read at the processor, as those of any linked customer. Returns null,
 * with nothing changed, for any other customer, and where the id or the e-mail is another's by now.
 */
export function recreateLostCustomer({ now }: { readonly now: () => Date }) {
  return async (
    tx: EntityManager,
    publish: Publish,
    { scope, snapshot, createdAt }: LostCustomer,
  ): Promise<LinkedCustomer | null> => {
    if (snapshot.deleted || !snapshot.email) return null;
    const { teamId, projectId, customerId } = snapshot.metadata;
    const { data: id } = CustomerId.schema.safeParse(customerId);
    if (!id || teamId !== scope.teamId || projectId !== scope.projectId) return null;
    if (!(await isLostByRestore(tx, snapshot.createdAt))) return null;

    const named = { email: '', name: null, externalId: snapshot.metadata[EXTERNAL_ID_KEY] ?? null, metadata: {} };
    const content = toContent(snapshot, scope, named);
    const { email, externalId } = content;
    if (!(await takeIdentifier(tx, scope, id, { kind: 'email', value: email }))) return null;
    // Ids are unique beyond the project. The e-mail comes first: of two events of the customer one waits there.
    if ((await tx.count(Customer, { id })) > 0) return null;
    const isFree =
      externalId !== null && (await takeIdentifier(tx, scope, id, { kind: 'external-id', value: externalId }));
    const customer = tx.create(Customer, {
      ...scope,
      ...content,
      id,
      externalId: isFree ? externalId : null,
      processorCustomerId: snapshot.id,
      linkedToExisting: true,
      processorUpdatedAt: createdAt,
      awaitsWebhook: false,
      version: 1,
      createdAt: snapshot.createdAt,
      updatedAt: now(),
      deletedAt: null,
    });
    if (!isLinked(customer)) throw new Error('The processor gave the customer no id.');
    publishCreated(publish, customer);
    return customer;
  };
}
