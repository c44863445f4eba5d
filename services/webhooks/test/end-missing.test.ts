import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReportMissingObject } from '@billing/contracts/rpc/calls';
import { projectCreated } from '@billing/testing/projects';
import { waitFor } from '@billing/testing/wait-for';
import { serveOwners, type Owner } from './record-owner.ts';
import { startWebhooks, type Team, type WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let owner: Owner;
beforeAll(async () => {
  service = await startWebhooks({ reconciler: false });
  owner = await serveOwners(service);
});
afterAll(() => service[Symbol.asyncDispose]());

async function startTeam(): Promise<Team> {
  const team = await service.newTeam();
  await service.deliver(projectCreated(team));
  return team;
}

const report = ({ teamId }: Team, type: 'customer' | 'coupon' | 'subscription' | 'promotion_code', id: string) =>
  service.rpc.call(ReportMissingObject, { teamId, type, processorId: id });
const eventsOf = async (team: Team) =>
  (await service.list(team)).webhookEvents.map(({ type, objectId, projectId }) => [type, objectId, projectId]);

it('ends the record of a customer whose deletion no webhook has delivered, once', async () => {
  const team = await startTeam();
  const { id } = await service.stripeOf(team).customers.create({ email: 'ada@example.com' });
  owner.record(team, id);
  await report(team, 'customer', id);
  expect(await eventsOf(team)).toEqual([]);

  await service.stripeOf(team).customers.del(id);
  await Promise.all([report(team, 'customer', id), report(team, 'customer', id)]);
  const ended = await waitFor(
    async () => {
      const events = await eventsOf(team);
      return events.length > 0 && events.every(([, , projectId]) => projectId) ? events : undefined;
    },
    { what: 'the deletion' },
  );
  expect(ended).toEqual([['customer.deleted', id, team.projectId]]);
});

it('ends what the account never had, and nothing without a live record', async () => {
  const team = await startTeam();
  for (const id of ['sub_gone', 'SAVE10', 'promo_gone']) owner.record(team, id);
  await report(team, 'subscription', 'sub_gone');
  await report(team, 'coupon', 'SAVE10');
  await report(team, 'coupon', 'OTHER');
  await report(team, 'promotion_code', 'promo_gone');
  const ended = await waitFor(
    async () => {
      const events = await eventsOf(team);
      return events.length > 1 && events.every(([, , projectId]) => projectId) ? events : undefined;
    },
    { what: 'both ends' },
  );
  expect(new Set(ended)).toEqual(
    new Set([
      ['coupon.deleted', 'SAVE10', team.projectId],
      ['customer.subscription.deleted', 'sub_gone', team.projectId],
    ]),
  );
  expect(ended).toHaveLength(2);
});
