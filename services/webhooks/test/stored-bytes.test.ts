import { CustomerId, type ProjectId } from '@billing/contracts/ids';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { purgeOf } from '../src/accounts/purge-account.ts';
import { maintainPartitions } from '../src/outgoing/partitions.ts';
import { recordChanges } from '../src/outgoing/record-events.ts';
import { completeEvents } from '../src/pipeline/complete.ts';
import { leaseDueEvents, openWindow } from '../src/pipeline/lease.ts';
import { openEventProcessor, type EventProcessor } from '../src/pipeline/process.ts';
import { openEventPublisher } from '../src/pipeline/publish.ts';
import { deleteOldEvents } from '../src/receipt/delete-expired.ts';
import { requireCounted } from './count-stored.ts';
import { customerChange } from './outgoing-steps.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { newStripeCustomer } from './stripe-events.ts';

/** It runs no pipeline: the test does each step itself. */
let service: WebhooksService;
let processor: EventProcessor;
beforeAll(async () => {
  service = await startWebhooks({ run: false });
  const { em, outbox, rpc, processors, logger } = service;
  const publisher = openEventPublisher({ outbox, publish: async () => undefined, logger });
  processor = openEventProcessor({
    outbox,
    rpc,
    processors,
    publisher,
    rooms: openWindow(em),
    pausesMs: [0, 0],
    logger,
  });
});
afterAll(() => service[Symbol.asyncDispose]());

/** Leases all that is to be done, which time makes due, and takes it one step further. */
async function process({ teamId }: Team): Promise<void> {
  await service.sql('update webhook_events set due_at = now() where due_at is not null and team_id = ?', [teamId]);
  await processor.process(await leaseDueEvents(service.em, openWindow(service.em), 100));
  await processor.idle();
}

const complete = ({ teamId, projectId }: Team, eventId: string, outcome: 'processed' | 'failed') =>
  service.outbox.transaction(async (tx, publish) => {
    const report = {
      outcome,
      routedBy: 'known-id',
      error: outcome === 'failed' ? 'a bug' : null,
      attempts: 1,
    } as const;
    await completeEvents(tx, [{ teamId, eventId, projectId, ...report }], publish);
  });

async function age({ teamId }: Team, days: number): Promise<void> {
  const older = 'update webhook_events set received_at = received_at - make_interval(days => ?) where team_id = ?';
  await service.sql(older, [days, teamId]);
  await deleteOldEvents(service.em, { days: 30, batchSize: 2 });
}

const record = (team: Team, id: CustomerId, sequence: number, isDeleted: boolean) =>
  service.em.fork().transactional(tx => {
    const change = customerChange(team, id, sequence, isDeleted ? { type: 'customer.deleted' } : {});
    return recordChanges(tx, [{ changes: [{ teamId: team.teamId, ...change }], hasWaited: true }]);
  });

/** Deletes what mirrors the account, as the purge of a team does. */
const purge = ({ teamId }: Team) =>
  service.em.fork().transactional(async tx => {
    const { tables, remove } = purgeOf(service.em);
    for (const table of tables) await tx.execute(`delete from ${table} where team_id = ?`, [teamId]);
    await remove?.(tx, teamId);
  });

const step = fc.record({
  what: fc.constantFrom('send', 'process', 'complete', 'replay', 'age', 'record'),
  event: fc.nat({ max: 4 }),
  outcome: fc.constantFrom('processed' as const, 'failed' as const),
  days: fc.constantFrom(8, 36, 91),
  isDeleted: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** One that names its project, a later state of the same, one of nobody here, a new customer of nobody, and one that nobody handles. */
function newEvents(projectId: ProjectId) {
  const customer = newStripeCustomer(projectId);
  return [
    newWebhookEvent('customer.updated', customer),
    newWebhookEvent('customer.updated', { ...customer, description: 'x'.repeat(3_000) }),
    newWebhookEvent('customer.updated', newStripeCustomer()),
    newWebhookEvent('customer.created', newStripeCustomer()),
    newWebhookEvent('payment_method.attached', { id: 'pm_1' }),
  ];
}

it('S75: counts exactly what is stored of a team, whatever is received, routed, replayed, recorded, deleted and purged', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 12 }),
    fc.nat({ max: 20 }),
    async (rounds, purgedBefore) => {
      const team = await service.newTeam();
      const events = newEvents(team.projectId);
      const customers = [CustomerId.create(), CustomerId.create()] as const;
      let sequence = 0;
      const take = async ({ what, event, outcome, days, isDeleted }: Step): Promise<unknown> => {
        const id = events[event]?.id ?? '';
        switch (what) {
          case 'send':
            return service.send(team, events[event] ?? {});
          case 'process':
            return process(team);
          case 'complete':
            return complete(team, id, outcome);
          case 'replay':
            return service.replay(team, id);
          case 'age':
            return age(team, days);
          case 'record':
            return record(team, event > 2 ? customers[0] : customers[1], (sequence += 1), isDeleted);
          default:
            return what satisfies never;
        }
      };
      for (const [index, round] of rounds.entries()) {
        if (index === purgedBefore) await purge(team);
        await Promise.all(round.map(take));
      }
      await requireCounted(service.em, team.teamId);
    },
  );
  await fc.assert(property, { numRuns: runs(60) });
});

it('counts an object when the event that brought it is routed, and by how much a later state is larger', async () => {
  const team = await service.newTeam();
  const rawBytes = async () =>
    Number(
      (
        await service.sql(`select bytes from stored_bytes where team_id = ? and store = 'raw_objects'`, [team.teamId])
      )[0]?.['bytes'] ?? 0,
    );
  const [first = {}, larger = {}] = newEvents(team.projectId);
  await service.send(team, first);
  expect(await rawBytes()).toBe(0);
  await process(team);
  const before = await rawBytes();
  expect(before).toBeGreaterThan(0);
  await service.send(team, { ...larger, created: Math.floor(Date.now() / 1_000) + 10 });
  await process(team);
  expect((await rawBytes()) - before).toBeGreaterThan(3_000);
  await requireCounted(service.em, team.teamId);
});

it('forgets the bytes of a day with its partitions', async () => {
  const team = await service.newTeam();
  await record(team, CustomerId.create(), 1, false);
  const stores = () => service.sql(`select store from stored_bytes where team_id = ?`, [team.teamId]);
  expect(await stores()).toHaveLength(1);
  const now = new Date(Date.now() + 40 * 86_400_000);
  await maintainPartitions(service.em, { retentionDays: 30, now });
  expect(await stores()).toEqual([]);
  await requireCounted(service.em, team.teamId);
});
