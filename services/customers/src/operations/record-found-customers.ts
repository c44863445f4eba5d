import type { EntityManager } from '@mikro-orm/postgresql';
import { CustomerId, type ProjectScope } from '@billing/contracts/ids';
import { EXTERNAL_ID_KEY } from '@billing/contracts/metadata';
import { executeBound } from '@billing/database/bound-statement';
import type { Publish } from '@billing/messaging/outbox';
import { namedProject } from '@billing/processor/metadata';
import type { LiveCustomerSnapshot } from '@billing/processor/port';
import { idOfMirrored } from '@billing/service/derived-id';
import { findLife } from '@billing/service/lives';
import { isMirrored } from '@billing/service/mirrored-rows';
import type { Source } from '@billing/service/save-record';
import { isLostByRestore } from '@billing/service/restores';
import { UNSEEN_BILLING } from '#domain/billing.ts';
import { isOurs, toContent, type CustomerContent } from '#domain/customer.ts';
import { takeIdentifier, takeIdentifiers } from '#persistence/customer-identifiers.ts';
import { Customer, type LinkedCustomer } from '#persistence/customer.entity.ts';
import { findHeldElsewhere, findReservedElsewhere, lockEmailsOfTeam } from '#persistence/held-elsewhere.ts';
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
 * Records customers of one project that the processor has and we have not: those that a sync read, and those that a caller created
 * after the backup that was restored, whose metadata has their id. Returns the ones that it records; not any other customer, one
 * that was deleted here, one whose id or e-mail is another's, nor an unmarked one of another project. Takes the e-mails in the
 * order given.
 */
export function recordFoundCustomers({ now }: { readonly now: () => Date }) {
  return async (
    tx: EntityManager,
    publish: Publish,
    scope: ProjectScope,
    found: readonly FoundCustomer[],
  ): Promise<LinkedCustomer[]> => {
    const all = await findCandidates(tx, scope, found);
    // One that was deleted here takes no e-mail.
    const knownBefore = await findKnown(tx, scope, all);
    const candidates = all.filter(it => !isIn(knownBefore, it));
    const claims = candidates.flatMap(({ id, content }) =>
      content.email === null ? [] : [{ id, value: content.email }],
    );
    const holders = await takeIdentifiers(tx, scope, 'email', claims);
    const free = candidates.filter(({ id, content }) => content.email === null || holders.has(id));
    // Ids are unique beyond the project. The e-mail comes first: of two events of the customer one waits there.
    const known = await findKnown(tx, scope, free);
    const isOfOther = await ownedElsewhere(tx, scope, free);
    const recorded: LinkedCustomer[] = [];
    for (const candidate of free.filter(it => !isIn(known, it) && !isOfOther(it))) {
      const customer = createLinked(tx, scope, await withFreeExternalId(tx, scope, candidate), now());
      publishCreated(publish, customer, { now: now(), ...candidate.source });
      recorded.push(customer);
    }
    return recorded;
  };
}

const isIn = (known: ReadonlySet<string>, { id, snapshot }: Candidate): boolean =>
  known.has(id) || known.has(snapshot.id);

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
    const id = named ?? idOfMirrored(CustomerId, scope, snapshot.id, snapshot.createdAt);
    const externalId = isOurs(snapshot, scope) ? (snapshot.metadata[EXTERNAL_ID_KEY] ?? null) : null;
    const content = toContent(snapshot, scope, {
      email: null,
      name: null,
      externalId,
      metadata: {},
      ...UNSEEN_BILLING,
    });
    if (!candidates.has(id)) candidates.set(id, { ...customer, id, content });
  }
  return [...candidates.values()];
}

/** Which of those that name no project another one has linked, or may be linking and marking at this moment. */
async function ownedElsewhere(
  tx: EntityManager,
  scope: ProjectScope,
  candidates: readonly Candidate[],
): Promise<(candidate: Candidate) => boolean> {
  const unmarked = candidates.filter(({ snapshot }) => namedProject(snapshot.metadata) === undefined);
  const emails = unmarked.flatMap(({ content }) => content.email ?? []);
  await lockEmailsOfTeam(tx, scope.teamId, emails);
  const ids = unmarked.map(({ snapshot }) => snapshot.id);
  const [held, reserved] = [await findHeldElsewhere(tx, scope, ids), await findReservedElsewhere(tx, scope, emails)];
  return it => unmarked.includes(it) && (held.has(it.snapshot.id) || reserved.has(it.content.email ?? ''));
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
    processorCreatedAt: snapshot.createdAt,
    linkedToExisting: !fromSync,
    testClockId: null,
    testClockNow: null,
    processorUpdatedAt: source.at,
    awaitsWebhook: false,
    ownInvoiceFields: [],
    billingSequence: 0,
    billingUpdatedAt: null,
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
 * Returns those of our ids, and of the processor's ids in this project, whose customer has a record, deleted ones too. Asks in
 * SQL: a query of entities would first write those of the batch, one by one.
 */
async function findKnown(
  tx: EntityManager,
  { teamId, projectId }: ProjectScope,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  if (candidates.length === 0) return new Set();
  const rows = await executeBound<{
    known: string;
    createdMs: number | null;
    deletedMs: number | null;
    isOwn: boolean;
  }>(
    tx,
    `select id as known, null::float8 as "createdMs", null::float8 as "deletedMs", true as "isOwn"
       from customers where id = any($1::text[])
      union all
     select processor_id, (extract(epoch from processor_created_at) * 1000)::float8,
            (extract(epoch from deleted_at) * 1000)::float8, false
       from customers where team_id = $2 and project_id = $3 and processor_id = any($4::text[])`,
    [candidates.map(({ id }) => id), teamId, projectId, candidates.map(({ snapshot }) => snapshot.id)],
  );
  const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms));
  const lives = Map.groupBy(
    rows.filter(({ isOwn }) => !isOwn),
    ({ known }) => known,
  );
  const isKnown = ({ snapshot: { id, createdAt } }: Candidate) => {
    const ofId = (lives.get(id) ?? []).map(({ createdMs, deletedMs }) => {
      return { processorCreatedAt: timeOf(createdMs), deletedAt: timeOf(deletedMs) };
    });
    return findLife(ofId, createdAt) !== 'new';
  };
  const own = rows.flatMap(({ known, isOwn }) => (isOwn ? known : []));
  return new Set([...own, ...candidates.filter(isKnown).map(({ snapshot }) => snapshot.id)]);
}

/** Whether the customer names this project as its own. */
const isMarked = ({ metadata }: LiveCustomerSnapshot, { teamId, projectId }: ProjectScope): boolean =>
  metadata['teamId'] === teamId && metadata['projectId'] === projectId;
