import { WebhookEventsCounted } from '@billing/contracts/events/webhooks';
import type { ProjectId, TeamId } from '@billing/contracts/ids';
import type { Completion } from '@billing/contracts/processor-events';
import { newWebhookEvent } from '@billing/testing/signed-webhooks';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { saveRoutes } from '../src/pipeline/route-rows.ts';
import { completeEvents } from '../src/pipeline/complete.ts';
import { countChanges, readTotals } from '../src/pipeline/event-totals.ts';
import { leaseDueEvents, openWindow } from '../src/pipeline/lease.ts';
import { postpone } from '../src/pipeline/postpone.ts';
import { openEventProcessor, type EventProcessor } from '../src/pipeline/process.ts';
import { openEventPublisher, type EventPublisher } from '../src/pipeline/publish.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';
import { newStripeCustomer } from './stripe-events.ts';

/** It runs no pipeline: the tests do each step themselves. */
let service: WebhooksService;
let publisher: EventPublisher;
let processor: EventProcessor;
let team: Team;
let other: ProjectId;

beforeAll(async () => {
  service = await startWebhooks({ run: false });
  const { em, outbox, rpc, processors, logger } = service;
  publisher = openEventPublisher({ outbox, publish: async () => undefined, logger });
  const rooms = openWindow(em);
  processor = openEventProcessor({ outbox, rpc, processors, publisher, rooms, pausesMs: [0, 0], logger });
});
beforeEach(async () => {
  team = await service.newTeam();
  other = service.newProject(team.teamId);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Leases all that is to be done, which time makes due. */
async function lease() {
  const { em } = service;
  await service.sql('update webhook_events set due_at = now() where due_at is not null and team_id = ?', [team.teamId]);
  return leaseDueEvents(em, openWindow(em), 100);
}

async function process(): Promise<void> {
  await processor.process(await lease());
  await processor.idle();
}

/** Ends events that nobody could process. */
const giveUp = async () => postpone(service.outbox, await lease(), 'unroutable: a bug', []);

const complete = (eventId: string, projectId: ProjectId, report: Pick<Completion, 'outcome' | 'attempts'>) =>
  service.outbox.transaction(async (tx, publish) => {
    const error = report.outcome === 'failed' ? 'a bug' : null;
    const completion = { teamId: team.teamId, eventId, projectId, routedBy: 'known-id', error, ...report } as const;
    publisher.completed((await completeEvents(tx, [completion], publish)).filter(({ isComplete }) => isComplete));
  });

/** Records which project has a customer, and nobody else. */
const moveCustomer = (processorId: string, projectId: ProjectId, version: number) =>
  service.outbox.transaction(async (tx, publish) => {
    const route = { teamId: team.teamId, kind: 'customer', processorId, createdAt: new Date(), version } as const;
    const routes = [team.projectId, other].map(project => {
      return { ...route, projectId: project, resourceId: `${processorId} ${project}`, deleted: project !== projectId };
    });
    await countChanges(tx, publish, await saveRoutes(tx, routes));
  });

/** The totals that are kept, and the same counted in the rows. */
async function totals(teamId: TeamId, projectId: ProjectId) {
  const { version: _version, ...kept } = await readTotals(service.em.fork(), teamId, projectId);
  const [counted] = await service.sql(
    `select count(*)::int as total, count(*) filter (where status = 'processed')::int as processed,
            count(*) filter (where status = 'failed')::int as failed
       from webhook_events where team_id = ? and project_id = ?`,
    [teamId, projectId],
  );
  return { kept, counted };
}

async function requireExact(): Promise<void> {
  for (const projectId of [team.projectId, other]) {
    const { kept, counted } = await totals(team.teamId, projectId);
    expect(kept).toEqual(counted);
  }
}

/** One step on one of three customers, whose events belong to a project by their metadata, by a record, or both. */
const step = fc.record({
  what: fc.constantFrom('send', 'process', 'flush', 'complete', 'replay', 'move', 'giveUp'),
  event: fc.nat({ max: 2 }),
  isOther: fc.boolean(),
  outcome: fc.constantFrom('processed' as const, 'failed' as const),
  attempts: fc.constantFrom(1, 9),
});
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

it('keeps totals that equal a count of the rows, whatever happens to events, in any order and at the same time', async () => {
  const property = fc.asyncProperty(fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 12 }), async rounds => {
    team = await service.newTeam();
    other = service.newProject(team.teamId);
    const customers = [team.projectId, other, undefined].map(project => newStripeCustomer(project));
    const events = customers.map(customer => newWebhookEvent('customer.updated', customer));
    let version = 0;
    const take = async ({ what, event, isOther, outcome, attempts }: Step): Promise<unknown> => {
      const [id, customerId] = [events[event]?.id ?? '', customers[event]?.id ?? ''];
      const projectId = isOther ? other : team.projectId;
      switch (what) {
        case 'send':
          return service.send(team, events[event] ?? {});
        case 'process':
          return process();
        case 'flush':
          return publisher.flush();
        case 'complete':
          return complete(id, projectId, { outcome, attempts });
        case 'replay':
          return service.replay(team, id);
        case 'move':
          return moveCustomer(customerId, projectId, (version += 1));
        case 'giveUp':
          return giveUp();
        default:
          return what satisfies never;
      }
    };
    for (const round of rounds) await Promise.all(round.map(take));
    await publisher.flush();
    await requireExact();
  });
  await fc.assert(property, { numRuns: runs(160) });
});

it('moves an event to the totals of the project that it goes to in the end', async () => {
  const customer = newStripeCustomer();
  const event = newWebhookEvent('customer.updated', customer);
  await moveCustomer(customer.id, team.projectId, 1);
  await service.send(team, event);
  await process();
  await publisher.flush();
  expect((await totals(team.teamId, team.projectId)).kept).toEqual({ total: 1, processed: 0, failed: 0 });

  await giveUp();
  expect((await totals(team.teamId, team.projectId)).kept).toEqual({ total: 1, processed: 0, failed: 1 });

  // No project has failed to handle it: its project is looked for again.
  await service.replay(team, event.id);
  await moveCustomer(customer.id, other, 2);
  await process();
  await process();
  expect((await totals(team.teamId, team.projectId)).kept).toEqual({ total: 0, processed: 0, failed: 0 });
  await complete(event.id, other, { outcome: 'processed', attempts: 1 });
  expect((await totals(team.teamId, other)).kept).toEqual({ total: 1, processed: 1, failed: 0 });
  await requireExact();
});

it('publishes each change of totals with a higher version', async () => {
  const event = newWebhookEvent('customer.updated', newStripeCustomer(team.projectId));
  await service.send(team, event);
  await process();
  await complete(event.id, team.projectId, { outcome: 'failed', attempts: 1 });
  await complete(event.id, team.projectId, { outcome: 'processed', attempts: 9 });
  const published = (await service.published(WebhookEventsCounted)).filter(({ teamId }) => teamId === team.teamId);
  expect(published.map(({ data }) => data)).toEqual([
    { projectId: team.projectId, total: 1, processed: 0, failed: 1, version: 1 },
    { projectId: team.projectId, total: 1, processed: 1, failed: 0, version: 2 },
  ]);
});
