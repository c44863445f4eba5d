import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import type { CheckoutOutcome, RecordedCheckout } from '#domain/checkout.ts';

/** A checkout session that is recorded. */
export interface FoundCheckout extends RecordedCheckout {
  readonly customerId: CustomerId;
  /** Whether it was read at the processor. */
  readonly isRead: boolean;
}

/** Finds a checkout session by the processor's id, with the status of the subscription that it created. */
export async function findCheckout(
  em: EntityManager,
  { scope: { teamId, projectId }, id }: ProjectObject,
): Promise<FoundCheckout | null> {
  const [found] = await executeBound<FoundCheckout>(
    em,
    `select session.customer_id as "customerId", session.state, session.read_at is not null as "isRead",
            subscription.status as "subscriptionStatus"
       from checkout_sessions session
       left join subscriptions subscription
         on subscription.processor_subscription_id = session.processor_subscription_id
        and subscription.team_id = session.team_id and subscription.project_id = session.project_id
      where session.team_id = $1 and session.project_id = $2 and session.processor_session_id = $3`,
    [teamId, projectId, id],
  );
  return found ?? null;
}

/** Returns whether a session that carries the id of an operation is being recorded by it. */
export async function isReserved(
  em: EntityManager,
  { scope: { teamId, projectId }, id }: ProjectObject,
): Promise<boolean> {
  const found = await executeBound(
    em,
    `select 1 from checkout_sessions where team_id = $1 and project_id = $2 and id::text = $3 and state = 'reserved'`,
    [teamId, projectId, id],
  );
  return found.length > 0;
}

/** A session as it was read at the processor. */
interface CheckoutRead extends ProjectObject {
  readonly customerId: CustomerId;
  readonly outcome: CheckoutOutcome | null;
  readonly subscriptionId: string | null;
  readonly url: string | null;
  readonly createdAt: Date;
}

/** Notes that a session was read, and records one that this service has not created. */
export async function noteCheckoutRead(tx: EntityManager, session: CheckoutRead): Promise<void> {
  const { scope, id, customerId, outcome, subscriptionId, url, createdAt } = session;
  await executeBound(
    tx,
    `insert into checkout_sessions as session
            (id, team_id, project_id, customer_id, state, processor_session_id, processor_subscription_id, url, read_at,
             created_at, updated_at)
     values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, clock_timestamp(), $8, clock_timestamp())
     on conflict (team_id, project_id, processor_session_id) do update set read_at = excluded.read_at`,
    [scope.teamId, scope.projectId, customerId, outcome ?? 'open', id, subscriptionId, url, createdAt],
  );
}
