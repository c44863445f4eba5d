import { randomBytes, randomUUID } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';
import { ProjectId, TeamId } from '@billing/contracts/ids';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { openOutbox } from '@billing/messaging/outbox';
import { messagingEntities, messagingMigrations } from '@billing/messaging/tables';
import { migrate, openDatabase } from '@billing/database/database';
import { createTestDatabase } from '@billing/testing/database';
import { pino } from 'pino';
import { z } from 'zod';
import type { OperationKind } from '../src/operation-log/operation-kind.ts';
import { openOperationLog } from '../src/operation-log/operation-log.ts';
import { controlOperationLog, reconcileOnce } from '../src/operation-log/testing.ts';
import { operationLogEntities, operationLogMigrations } from '../src/operation-log/tables.ts';
import type { Processor } from '../src/port.ts';
import { stripeProcessor } from '../src/stripe-processor.ts';

const input = z.object({ amount: z.int(), processorCustomerId: z.string().nullable() });
type Credit = z.output<typeof input>;

class CreateCredits extends Migration {
  override up(): void {
    this.addSql(`create table credits (id text primary key, status text not null, transaction_id text, error text)`);
  }
}

/**
 * A service that credits one customer through the operation log, with a database and an account of its own. `wrap`
 * replaces the processor that the log calls.
 */
export async function startCredits(wrap: (processor: Processor) => Processor = processor => processor) {
  const resources = new AsyncDisposableStack();
  const logger = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
  const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
  const testDatabase = resources.use(await createTestDatabase('referrals'));
  const database = resources.adopt(
    openDatabase({
      service: 'referrals',
      url: testDatabase.url,
      entities: [...messagingEntities, ...operationLogEntities],
      migrations: [
        ...messagingMigrations,
        ...operationLogMigrations,
        { name: '0001-create-credits', class: CreateCredits },
      ],
    }),
    it => it.close(),
  );
  await migrate(database);
  const { em } = database;
  const localProcessor = resources.adopt(await startLocalProcessor(), it => it.close());
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const processor = stripeProcessor(secretKey, localProcessor.url);
  const { id: customerId } = await processor.createCustomer({ email: 'ada@example.com', metadata: {} }, 'customer');
  let beforeSending: () => Promise<unknown> = async () => undefined;

  const creditKind: OperationKind<Credit, { readonly id: string }, string> = {
    name: 'credit',
    input,
    async prepare(operation) {
      await beforeSending();
      return { ...operation.input, processorCustomerId: customerId };
    },
    send: (port, { resourceId, input: { amount, processorCustomerId }, idempotencyKey }) =>
      port.createBalanceTransaction(
        processorCustomerId ?? '',
        { amount: -amount, currency: 'usd', description: 'Credit', metadata: { creditId: resourceId } },
        idempotencyKey,
      ),
    mustSucceed: true,
    async findExisting(port, { resourceId, input: { processorCustomerId }, createdAt: since }) {
      if (processorCustomerId === null) return null;
      return port.findCreatedBalanceTransaction(processorCustomerId, { metadata: { creditId: resourceId }, since });
    },
    async commit(tx, { resourceId }, { id }) {
      await tx.execute(`insert into credits values (?, 'credited', ?)`, [resourceId, id]);
      return id;
    },
    async cancel(tx, { resourceId }, { message }) {
      await tx.execute(`insert into credits values (?, 'failed', null, ?)`, [resourceId, message]);
    },
  };

  const open = (port: Processor) =>
    openOperationLog({ outbox: openOutbox(em), processors: { of: async () => port }, logger, kinds: [creditKind] });
  const operationLog = open(wrap(processor));

  return {
    control: new LocalProcessorControl(localProcessor.url, secretKey),
    em,
    operationLog,
    scope,
    /** Runs before each first sending under a key. */
    beforeSending: (run: () => Promise<unknown>) => {
      beforeSending = run;
    },
    enqueue: (key: string = randomUUID()) =>
      em.fork().transactional(async tx => {
        const credit = {
          ...scope,
          key,
          resourceId: `credit-${key}`,
          input: { amount: 500, processorCustomerId: null },
        };
        await operationLog.enqueue(tx, creditKind, [credit, credit]);
      }),
    /** Does what the reconciler does, once, with this processor. */
    reconcile: (port = wrap(processor)) => reconcileOnce(open(port)),
    processor,
    /** The credit appears at the processor without a call of the log. */
    createElsewhere: (key: string) => {
      const metadata = { creditId: `credit-${key}` };
      const transaction = { amount: -500, currency: 'usd', description: 'Credit', metadata };
      return processor.createBalanceTransaction(customerId, transaction, 'elsewhere');
    },
    ...controlOperationLog(em),
    credits: () =>
      em.fork().execute<{ id: string; status: string; transaction_id: string | null }[]>('select * from credits'),
    /** The idempotency keys of the balance transactions at the processor. */
    sentKeys: async () => {
      const { objects } = await new LocalProcessorControl(localProcessor.url, secretKey).ledger();
      return objects.filter(({ id }) => id !== customerId).map(({ idempotencyKey }) => idempotencyKey);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
