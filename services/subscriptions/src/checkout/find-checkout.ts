import type { EntityManager } from '@mikro-orm/postgresql';
import type { CustomerId } from '@billing/contracts/ids';
import { executeBound } from '@billing/database/bound-statement';
import type { ProjectObject } from '@billing/database/project-objects';
import type { CheckoutOutcome, RecordedCheckout } from './checkout.rules.ts';

/** A checkout session that is recorded. */
export interface FoundCheckout extends RecordedCheckout {
  readonly customerId: CustomerId;
  /** Whether it was read at the processor. */
  readonly isRead: boolean;
}

/** Finds a checkout session by the processor's id. */
export const findCheckout = async (em: EntityManager, session: ProjectObject): Promise<FoundCheckout | null> =>
  (await findCheckouts(em, [session]))[0] ?? null;

/** Finds checkout sessions by the processor's ids, in their order, with the status of the subscription that each created. */
export async function findCheckouts(
  em: EntityManager,
  sessions: readonly ProjectObject[],
): Promise<readonly (FoundCheckout | null)[]> {
  const rows = await executeBound<FoundCheckout & { readonly place: number }>(
    em,
    `select k.place, session.customer_id as "customerId", session.state, session.read_at is not null as "isRead",
            subscription.status as "subscriptionStatus"
       from json_to_recordset($1::json) as k(place int, "teamId" text, "projectId" text, id text)
       join checkout_sessions session
         on (session.team_id, session.project_id, session.processor_session_id) = (k."teamId", k."projectId", k.id)
       left join subscriptions subscription
         on subscription.processor_subscription_id = session.processor_subscription_id
        and subscription.team_id = session.team_id and subscription.project_id = session.project_id`,
    [JSON.stringify(sessions.map(({ scope: { teamId, projectId }, id }, place) => ({ place, teamId, projectId, id })))],
  );
  const found = new Map(rows.map(({ place, ...row }) => [place, row]));
  return sessions.map((_session, place) => found.get(place) ?? null);
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
