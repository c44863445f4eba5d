import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { newCredentials, startWebhooks, type Team } from './start-webhooks.ts';
import { customerUpdated } from './stripe-events.ts';

const PAIRS = 300;
/** Pairs in flight at the same time. */
const WAVE = 50;

it('publishes an event once that two copies receive at both URLs, under two secrets', async () => {
  await using service = await startWebhooks();
  const second = await service.startCopy();
  const team = await service.newTeam();
  const { webhookSecret } = newCredentials();
  await service.connect(team.teamId, { ...newCredentials(), secretKey: team.secretKey, webhookSecret });
  const renewed: Team = { ...team, webhookSecret };

  const events = Array.from({ length: PAIRS }, () => customerUpdated(team.projectId));
  for (let start = 0; start < PAIRS; start += WAVE) {
    const pairs = await Promise.all(
      events
        .slice(start, start + WAVE)
        .map(event =>
          Promise.all([
            service.send(team, event, { to: second, path: 'stripe' }),
            service.send(renewed, event, { path: 'processor' }),
          ]),
        ),
    );
    for (const pair of pairs) {
      expect(pair.map(({ status }) => status)).toEqual([200, 200]);
      expect(pair.filter(({ body }) => body.duplicate)).toHaveLength(1);
    }
  }

  const countPublications = () => events.map(({ id }) => service.publicationsOf(id).length);
  await waitFor(() => countPublications().every(count => count > 0), {
    what: 'every event to be published',
  });
  expect(countPublications()).toEqual(events.map(() => 1));
  expect((await service.list(team)).pagination.total).toBe(PAIRS);
});
