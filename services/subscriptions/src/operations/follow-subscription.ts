import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId, ProjectScope } from '@billing/contracts/ids';
import { unavailable } from '@billing/contracts/problem';
import { missingOrThrow } from '@billing/processor/errors';
import type { SubscriptionSnapshot } from '@billing/processor/port';
import { isLater, isNews, judge, laterOf, type Moment } from '#domain/sighting.ts';
import { readTerms } from '#domain/subscription.ts';
import { lock } from '#persistence/locks.ts';
import type { Dependencies } from '../dependencies.ts';
import { findPriceIds } from './find-price-ids.ts';
import { findByProcessorId } from './find-subscription.ts';
import { identifyCustomer } from './identify-customer.ts';
import { beginSubscription, changeSubscription, confirmSubscription, knownOf } from './keep-subscription.ts';

/** What the processor answered about a subscription. */
export interface Answer {
  readonly snapshot: SubscriptionSnapshot;
  /** Our version of the record before the question: only over this one the answer is surely the newer. */
  readonly overVersion: number | null;
  /** By our clock. */
  readonly readAt: Date;
}

/** What had to be found out before the transaction. */
export interface Looked {
  /** Whose it is; null when the record is there already. */
  readonly customerId: CustomerId | null;
  /** Null when there was no need to ask, `missing` when the processor knows no such subscription any more. */
  readonly answer: Answer | 'missing' | null;
}

type Outside = Pick<Dependencies, 'em' | 'rpc' | 'processors'>;

/** Asks the processor for a subscription as it is now. */
export function askForSubscription({ em, processors }: Pick<Outside, 'em' | 'processors'>) {
  return async (scope: ProjectScope, processorSubscriptionId: string): Promise<Answer> => {
    const row = await findByProcessorId(em.fork(), scope, processorSubscriptionId);
    const processor = await processors.of(scope.teamId);
    const snapshot = await processor.findSubscription(processorSubscriptionId);
    return { snapshot, overVersion: row?.version ?? null, readAt: new Date() };
  };
}

/** Finds out what an event alone does not say: whose a new subscription is, and in doubt what the processor says now. */
export function lookAtSubscription(outside: Outside) {
  const identify = identifyCustomer(outside);
  const ask = askForSubscription(outside);
  return async (scope: ProjectScope, snapshot: SubscriptionSnapshot, moment: Moment): Promise<Looked> => {
    const row = await findByProcessorId(outside.em.fork(), scope, snapshot.id);
    if (!row) return { customerId: await identify(scope, referenceOf(snapshot)), answer: null };
    const terms = readTerms(snapshot, { seenAt: moment.at, known: row.status });
    const inDoubt = terms !== null && judge(knownOf(row), terms, moment) === 'ask';
    return { customerId: null, answer: inDoubt ? await ask(scope, snapshot.id).catch(missingOrThrow) : null };
  };
}

/** Who the subscription says it belongs to. */
export const referenceOf = ({ customerId, metadata }: SubscriptionSnapshot) => ({
  processorCustomerId: customerId,
  metadata,
});

/**
 * Keeps what an event says, so that every order of delivery leads to the same record.
 * @throws Problem `unavailable` when the record changed since the look, Error for a status nobody knows: both are
 * worth another try
 */
export async function followEvent(
  tx: EntityManager,
  scope: ProjectScope,
  { snapshot, moment }: { snapshot: SubscriptionSnapshot; moment: Moment },
  looked: Looked,
): Promise<void> {
  const { answer } = looked;
  const isAnswered = answer !== null && answer !== 'missing';
  const priceIds = await findPriceIds(tx, scope, pricesOf(snapshot, isAnswered ? answer.snapshot : undefined));
  await lock(tx, scope, 'subscription', snapshot.id);
  const row = await findByProcessorId(tx, scope, snapshot.id);
  const terms = readTerms(snapshot, { seenAt: moment.at, known: row?.status });
  if (!terms) throw new Error(`Subscription ${snapshot.id} has a status that this service does not know yet.`);

  if (!row) {
    if (!looked.customerId) throw changedMeanwhile();
    const source = { asOf: moment, readAt: null };
    await beginSubscription(tx, scope, snapshot, { terms, customerId: looked.customerId, source, priceIds });
    return;
  }
  const known = knownOf(row);
  const apply = () => changeSubscription(tx, row, { terms, source: { asOf: moment, readAt: null }, priceIds });
  switch (judge(known, terms, moment)) {
    case 'apply':
      apply();
      break;
    case 'confirm':
      confirmSubscription(tx, row, { asOf: laterOf(known.asOf, moment), readAt: known.readAt });
      break;
    case 'ask':
      if (!answer) throw changedMeanwhile();
      if (answer === 'missing') {
        if (isLater(moment, known.asOf)) apply();
      } else if ((await followAnswer(tx, scope, answer, { moment })) === 'outdated') {
        throw changedMeanwhile();
      }
      break;
    case 'stale':
      break;
  }
}

/**
 * Keeps what the processor answered, unless the record changed since the question was put. `moment` is that of the
 * event that led to the question; `customerId` is needed for a subscription that is not known yet.
 */
export async function followAnswer(
  tx: EntityManager,
  scope: ProjectScope,
  { snapshot, overVersion, readAt }: Answer,
  { moment = null, customerId = null }: { moment?: Moment | null; customerId?: CustomerId | null } = {},
): Promise<'kept' | 'outdated'> {
  const priceIds = await findPriceIds(tx, scope, pricesOf(snapshot));
  await lock(tx, scope, 'subscription', snapshot.id);
  const row = await findByProcessorId(tx, scope, snapshot.id);
  if ((row?.version ?? null) !== overVersion) return 'outdated';
  const terms = readTerms(snapshot, { seenAt: readAt, known: row?.status });
  if (!terms) throw new Error(`Subscription ${snapshot.id} has a status that this service does not know yet.`);

  if (!row) {
    if (!customerId) return 'outdated';
    await beginSubscription(tx, scope, snapshot, { terms, customerId, source: { asOf: moment, readAt }, priceIds });
    return 'kept';
  }
  const known = knownOf(row);
  const source = { asOf: laterOf(known.asOf, moment), readAt };
  if (isNews(known.terms, terms)) changeSubscription(tx, row, { terms, source, priceIds });
  else confirmSubscription(tx, row, source);
  return 'kept';
}

const changedMeanwhile = () => unavailable('The subscription changed while it was looked at.');

function pricesOf(...snapshots: readonly (SubscriptionSnapshot | undefined)[]): string[] {
  return snapshots.flatMap(it => it?.items.map(item => item.price.id) ?? []);
}
