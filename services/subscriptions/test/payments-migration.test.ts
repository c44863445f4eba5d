import { expect, it } from 'vitest';
import { migrate } from '@billing/database/database';
import { openServiceDatabase, wholeSchema } from '@billing/service/service-database';
import { createTestDatabase } from '@billing/testing/database';
import { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import { observedCharge } from '../src/domain/payment-observations.ts';
import { mergeObservations, termsOf } from '../src/domain/payment.ts';
import { Payment } from '../src/persistence/payment.entity.ts';
import { subscriptionsSchema } from '../src/persistence/schema.ts';
import { after } from './payloads.ts';

const { migrations } = subscriptionsSchema;
const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name.startsWith('0003')),
);

it('makes one payment of a payment intent and its charges', async () => {
  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const customerId = CustomerId.create();
  await using created = await createTestDatabase(
    'subscriptions',
    wholeSchema({ ...subscriptionsSchema, migrations: before }),
  );
  const database = openServiceDatabase('subscriptions', subscriptionsSchema, created.url);
  try {
    await database.em
      .fork()
      .execute(
        `insert into customer_copies (id, team_id, project_id, processor_customer_id, version, created_at) values (?, ?, ?, 'cus_1', 1, now())`,
        [customerId, scope.teamId, scope.projectId],
      );
    const insert = (id: string, kind: string, intent: string | null, status: string, second: number) =>
      database.em.fork().execute(
        `insert into payments (processor_id, team_id, project_id, kind, customer_id, processor_payment_intent_id, status,
                               amount, currency, failure_code, event_at, event_id, created_at, updated_at)
         values (?, ?, ?, ?, ?, ?, ?, 2999, 'usd', ?, ?, 'evt', ?, now())`,
        [
          id,
          scope.teamId,
          scope.projectId,
          kind,
          customerId,
          intent,
          status,
          status === 'failed' ? 'card_declined' : null,
          after(second),
          after(0),
        ],
      );
    await insert('ch_failed', 'charge', 'pi_1', 'failed', 3);
    await insert('ch_paid', 'charge', 'pi_1', 'succeeded', 2);
    await insert('pi_1', 'payment_intent', null, 'succeeded', 2);
    await insert('pi_2', 'payment_intent', null, 'failed', 1);
    await insert('ch_alone', 'charge', null, 'succeeded', 1);

    await migrate(database);

    const rows = await database.em.fork().find(Payment, scope, { orderBy: { processorId: 'asc' } });
    const common = { customerId, processorCustomerId: 'cus_1', amount: 2_999, amountRefunded: 0, currency: 'usd' };
    expect(rows).toMatchObject([
      { ...common, processorId: 'ch_alone', processorPaymentIntentId: null, processorChargeId: 'ch_alone' },
      { ...common, processorPaymentIntentId: 'pi_1', processorChargeId: 'ch_paid', status: 'succeeded' },
      { ...common, processorPaymentIntentId: 'pi_2', status: 'failed', failureCode: 'card_declined' },
    ]);
    // What was stored is what the observations say, and later events apply to it.
    for (const row of rows) {
      const { status, amount, processorChargeId, failureCode } = row;
      expect(termsOf(row.observations)).toMatchObject({ status, amount, processorChargeId, failureCode });
      expect(mergeObservations(row.observations, row.observations)).toEqual(row.observations);
      expect(row.id).toMatch(/^pay_[0-9a-z]{20,64}$/);
    }
    const [, paid] = rows;
    const charge = { id: 'ch_paid', amount: 2_999, currency: 'usd', failureCode: null, failureMessage: null };
    const links = { customerId: 'cus_1', invoiceId: null, paymentIntentId: 'pi_1', metadata: {}, status: 'succeeded' };
    const refunded = observedCharge({ ...charge, ...links, amountRefunded: 9, createdAt: after(0) }, after(9), true);
    expect(paid && termsOf(mergeObservations(paid.observations, refunded))).toMatchObject({
      status: 'partially_refunded',
    });
  } finally {
    await database.close();
  }
});
