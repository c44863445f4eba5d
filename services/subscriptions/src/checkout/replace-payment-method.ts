import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProjectScope } from '@billing/contracts/ids';
import { hasEnded } from '@billing/contracts/resources/subscription';
import { isMissing, isRefused, ProcessorError } from '@billing/processor/errors';
import { namedProject } from '@billing/processor/metadata';
import { idempotencyKey } from '@billing/processor/idempotency-key';
import { PAGE_SIZE } from '@billing/processor/page-size';
import type { CheckoutSessionSnapshot, Processor, SubscriptionSnapshot } from '@billing/processor/port';
import { executeBound } from '@billing/database/bound-statement';
import { scopedKey } from '@billing/database/project-objects';
import { CustomerCopy } from '#copies/customer-copy.entity';
import { subscriptionRows } from '#record/subscription-rows';
import type { Dependencies } from '../dependencies.ts';
import type { Replacement } from './save-replacement.ts';

/**
 * Has the payment method that a setup session saved used from now on. It becomes the default of the customer and of each
 * running subscription, whose own default would otherwise come first.
 * https://docs.stripe.com/payments/checkout/subscriptions/update-payment-details
 *
 * It may run any number of times: every write has an idempotency key made from the session, and one that was refused before has
 * another one. A subscription that refuses it keeps it from no other one. A session that is older than the newest one whose method
 * was taken changes nothing: then it returns null.
 * @throws what kept it from being used everywhere, refusals of subscriptions apart; a repeat completes what is missing
 */
export function replacePaymentMethod({ em, processors }: Pick<Dependencies, 'em' | 'processors'>) {
  return async (
    scope: ProjectScope,
    session: CheckoutSessionSnapshot,
    completedAt: Date,
  ): Promise<Replacement | null> => {
    const { id: sessionId, customerId, setupIntentId } = session;
    if (!customerId || !setupIntentId) return null;
    if (await isOutdated(em.fork(), scope, customerId, completedAt)) return null;
    const processor = await processors.of(scope.teamId);
    const { paymentMethodId } = await processor.findSavedPaymentMethod(setupIntentId);
    if (!paymentMethodId) throw new Error(`Setup session ${sessionId} is complete but saved no payment method.`);

    return useEverywhere({ em, processor }, scope, { customerId, paymentMethodId, sourceId: sessionId });
  };
}

/** A payment method of a customer, and what it comes from. */
interface SavedMethod {
  /** The processor's id of the customer. */
  readonly customerId: string;
  readonly paymentMethodId: string;
  /** The idempotency keys follow from it. */
  readonly sourceId: string;
}

/**
 * Makes a payment method the default of a customer and of each of its running subscriptions of the project.
 * @throws what kept it from being used everywhere, refusals of subscriptions apart
 */
export async function useEverywhere(
  { em, processor }: Pick<Dependencies, 'em'> & { readonly processor: Processor },
  scope: ProjectScope,
  { customerId, paymentMethodId, sourceId }: SavedMethod,
): Promise<Replacement> {
  const changes = { defaultPaymentMethodId: paymentMethodId };
  await processor.updateCustomer(customerId, changes, idempotencyKey('default-payment-method', sourceId));
  const using: string[] = [];
  const refused = new Map<string, string>();
  const failures: ProcessorError[] = [];
  for await (const page of everySubscription(processor, customerId)) {
    const running = page.filter(subscription => isRunningHere(subscription, scope));
    const rows = await subscriptionRows.find(
      em.fork(),
      running.map(({ id }) => ({ scope, id })),
    );
    for (const { id } of running) {
      const hasRefused = rows.get(scopedKey({ scope, id }))?.refusedPaymentMethod?.paymentMethodId === paymentMethodId;
      // The processor repeats under the same key what it has refused under it.
      const again = hasRefused ? `:${randomUUID()}` : '';
      const key = idempotencyKey('subscription-payment-method', sourceId, `${id}${again}`);
      try {
        await processor.setSubscriptionPaymentMethod(id, paymentMethodId, key);
        using.push(id);
      } catch (err) {
        if (isMissing(err)) continue;
        if (!(err instanceof ProcessorError) || OF_ACCOUNT.has(err.processorStatus)) throw err;
        if (isRefused(err)) refused.set(id, err.message);
        else failures.push(err);
      }
    }
  }
  const [failure] = failures;
  if (failure) throw failure;
  return { paymentMethodId, using, refused };
}

/** What the processor returns where every call is refused: the secret key is not accepted, or lacks a permission. */
const OF_ACCOUNT: ReadonlySet<number | undefined> = new Set([401, 403]);

/** Lists all subscriptions of a customer, in pages. */
async function* everySubscription(
  processor: Processor,
  customerId: string,
): AsyncGenerator<readonly SubscriptionSnapshot[]> {
  for (let after: string | undefined; ;) {
    const page = await processor.listSubscriptions(customerId, after);
    yield page;
    after = page.at(-1)?.id;
    if (page.length < PAGE_SIZE) return;
  }
}

/** A completed setup session. */
interface CompletedSetup {
  readonly scope: ProjectScope;
  readonly session: Pick<CheckoutSessionSnapshot, 'customerId'>;
  readonly completedAt: Date;
}

/** Notes on the customers' copies when the newest setup session was completed. */
export async function noteReplacements(tx: EntityManager, replacements: readonly CompletedSetup[]): Promise<void> {
  if (replacements.length === 0) return;
  await executeBound(
    tx,
    `update customer_copies copy
        set payment_method_replaced_at = greatest(copy.payment_method_replaced_at, replaced.at)
       from (select team_id, project_id, processor_customer_id, max(at) as at
               from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
                      as session (team_id, project_id, processor_customer_id, at)
              group by 1, 2, 3) replaced
      where copy.team_id = replaced.team_id and copy.project_id = replaced.project_id
        and copy.processor_customer_id = replaced.processor_customer_id`,
    [
      replacements.map(({ scope }) => scope.teamId),
      replacements.map(({ scope }) => scope.projectId),
      replacements.map(({ session }) => session.customerId),
      replacements.map(({ completedAt }) => completedAt),
    ],
  );
}

async function isOutdated(
  em: EntityManager,
  { teamId, projectId }: ProjectScope,
  processorCustomerId: string,
  completedAt: Date,
): Promise<boolean> {
  const newer = await em.count(CustomerCopy, {
    teamId,
    projectId,
    processorCustomerId,
    paymentMethodReplacedAt: { $gt: completedAt },
  });
  return newer > 0;
}

/** Two projects may share a customer of the processor; each changes its own subscriptions only. */
function isRunningHere({ status, metadata }: SubscriptionSnapshot, { projectId }: ProjectScope): boolean {
  const owner = namedProject(metadata);
  return (status === null || !hasEnded(status)) && (owner === undefined || owner === projectId);
}
