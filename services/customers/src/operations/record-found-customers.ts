import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { EXTERNAL_ID_KEY } from '@billing/contracts/metadata';
import { executeBound } from '@billing/database/bound-statement';
import type { Publish } from '@billing/messaging/outbox';
import type { LiveCustomerSnapshot } from '@billing/processor/port';
import { idOfMirrored } from '@billing/service/derived-id';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { Source } from '@billing/service/publish-resource';
import { isLostByRestore } from '@billing/service/restores';
import { isOurs, toContent, type CustomerContent } from '#domain/customer.ts';
import { takeIdentifier, takeIdentifiers } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { publishCreated } from './save-customer.ts';

/** A customer that the processor has and we have not. */
export interface FoundCustomer {
  readonly snapshot: LiveCustomerSnapshot;
  /** Its time is when the processor had it so. */
  readonly source: Source;
  /** Whether a sync read it. Subscriptions and invoices are then found by the sync too. */
  readonly fromSync: boolean;
}

interface Candidate extends FoundCustomer {
  readonly id: CustomerId;
  readonly content: CustomerContent;
}

/**
 * Records customers of one project that the processor has and we have not: those that a sync read, and those that a caller
 * created after the backup that was restored, whose metadata has their id. Returns the ones that it records; not any other
 * customer, one that was deleted here, nor one whose id or e-mail is another's. Takes the e-mails in the order given.
 */
export function recordFoundCustomers({ now }: { readonly now: () => Date }) {
  return async (
    tx: EntityManager,
    publish: Publish,
    scope: ProjectScope,
    found: readonly FoundCustomer[],
  ): Promise<LinkedCustomer[]> => {
    const candidates = await findCandidates(tx, scope, found);
    const claims = candidates.flatMap(({ id, content }) =>
      content.email === null ? [] : [{ id, value: content.email }],
    );
    const holders = await takeIdentifiers(tx, scope, 'email', claims);
    const free = candidates.filter(({ id, content }) => content.email === null || holders.has(id));
    // Ids are unique beyond the project. The e-mail comes first: of two events of the customer one waits there.
    const known = await findKnown(tx, scope, free);
    const recorded: LinkedCustomer[] = [];
    for (const candidate of free.filter(({ id, snapshot }) => !known.has(id) && !known.has(snapshot.id))) {
      const customer = createLinked(tx, scope, await withFreeExternalId(tx, scope, candidate), now());
      publishCreated(publish, customer, { now: now(), ...candidate.source });
      recorded.push(customer);
    }
    return recorded;
  };
}

/** Those that may be recorded, with their ids here; of several with one id the first. */
async function findCandidates(tx: EntityManager, scope: ProjectScope, found: readonly FoundCustomer[]) {
  const candidates = new Map<CustomerId, Candidate>();
  for (const customer of found) {
    const { snapshot, fromSync } = customer;
    const named = isMarked(snapshot, scope)
      ? CustomerId.schema.safeParse(snapshot.metadata['customerId']).data
      : undefined;
    const isLost = named !== undefined && (await isLostByRestore(tx, snapshot.createdAt));
    if (!isLost && !fromSync) continue;
    const id = named ?? idOfMirrored(CustomerId, scope, snapshot.id);
    const externalId = isOurs(snapshot, scope) ? (snapshot.metadata[EXTERNAL_ID_KEY] ?? null) : null;
    const content = toContent(snapshot, scope, { email: null, name: null, externalId, metadata: {} });
    if (!candidates.has(id)) candidates.set(id, { ...customer, id, content });
  }
  return [...candidates.values()];
}

/** Without the external id where another customer has it. */
async function withFreeExternalId(tx: EntityManager, scope: ProjectScope, candidate: Candidate): Promise<Candidate> {
  const { id, content } = candidate;
  const { externalId: value } = content;
  const isFree = value === null || (await takeIdentifier(tx, scope, id, { kind: 'external-id', value }));
  return isFree ? candidate : { ...candidate, content: { ...content, externalId: null } };
}

function createLinked(
  tx: EntityManager,
  scope: ProjectScope,
  { id, content, snapshot, source, fromSync }: Candidate,
  now: Date,
): LinkedCustomer {
  const customer = tx.create(Customer, {
    ...scope,
    ...content,
    id,
    wantedEmail: null,
    processorId: snapshot.id,
    linkedToExisting: !fromSync,
    processorUpdatedAt: source.at,
    awaitsWebhook: false,
    version: 1,
    createdAt: snapshot.createdAt,
    updatedAt: now,
    sequence: 0,
    deletedAt: null,
  });
  if (!isMirrored(customer)) throw new Error('The processor gave the customer no id.');
  return customer;
}

/**
 * Returns those of our ids, and of the processor's ids in this project, that a customer has, deleted ones too. Asks in SQL:
 * a query of entities would first write those of the batch, one by one.
 */
async function findKnown(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  if (candidates.length === 0) return new Set();
  const rows = await executeBound<{ known: string }>(
    tx,
    `select id as known from customers where id = any($1::text[])
      union all
     select processor_id from customers
      where team_id = $2 and project_id = $3 and processor_id = any($4::text[])`,
    [candidates.map(({ id }) => id), teamId, projectId, candidates.map(({ snapshot }) => snapshot.id)],
  );
  return new Set(rows.map(({ known }) => known));
}

/** Whether the customer names this project as its own. */
const isMarked = ({ metadata }: LiveCustomerSnapshot, { teamId, projectId }: ProjectScope): boolean =>
  metadata['teamId'] === teamId && metadata['projectId'] === projectId;
