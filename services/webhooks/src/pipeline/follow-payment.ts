import type { EntityManager } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';
import type { TeamProcessors } from '@billing/processor/team-processors';
import { teamSchemaName, TABLES } from '#domain/raw-object.ts';
import { readRouteHints, type PaymentReference } from '#domain/route-hints.ts';
import type { LeasedEvent } from './lease.ts';

interface FollowPaymentParts {
  readonly em: EntityManager;
  readonly processors: TeamProcessors;
}

/** Adds to the hints of an event those of the payment that it names. */
export type FollowPayment = (event: LeasedEvent) => Promise<LeasedEvent>;

/**
 * A refund or dispute names no customer, but its payment does. The payment is usually in the team's schema, where its own
 * event brought it; else Stripe is asked. An event that names no payment stays as it is.
 * @throws Problem `unavailable` when Stripe is
 */
export function followPayment({ em, processors }: FollowPaymentParts): FollowPayment {
  return async event => {
    const { teamId, hints } = event;
    if (!hints.payment) return event;
    const payment =
      (await findMirrored(em, teamId, hints.payment)) ??
      (await (await processors.of(teamId)).findObject(hints.payment.kind, hints.payment.id));
    if (!payment) return event;
    const ofPayment = readRouteHints(`${hints.payment.kind}.succeeded`, payment);
    return { ...event, hints: { ...ofPayment, named: [...hints.named, ...ofPayment.named] } };
  };
}

async function findMirrored(em: EntityManager, teamId: TeamId, { kind, id }: PaymentReference) {
  const schema = em.getPlatform().quoteIdentifier(teamSchemaName(teamId));
  const [row] = await em
    .fork()
    .execute<{ data: Record<string, unknown> }[]>(`select data from ${schema}.${TABLES[kind]} where id = ?`, [id]);
  return row?.data ?? null;
}
