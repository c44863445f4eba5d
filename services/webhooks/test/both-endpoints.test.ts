import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { aCustomer, anEvent, newCredentials, startService, type Team } from './service.ts';

const PAIRS = 300;
/** Pairs that are under way at the same time. */
const WAVE = 50;

it('makes one record and one effect of an event that comes to both addresses at once, under two secrets, at two copies', async () => {
  await using service = await startService();
  const second = await service.startCopy();
  const team = await service.newTeam();
  const { webhookSecret } = newCredentials();
  await service.connect(team.teamId, { ...newCredentials(), webhookSecret });
  const renewed: Team = { ...team, webhookSecret };

  const events = Array.from({ length: PAIRS }, () => anEvent('customer.updated', aCustomer(team.projectId)));
  for (let start = 0; start < PAIRS; start += WAVE) {
    const pairs = await Promise.all(
      events
        .slice(start, start + WAVE)
        .map(event =>
          Promise.all([
            service.send(team, event, { app: second.app, path: 'stripe' }),
            service.send(renewed, event, { app: service.app, path: 'processor' }),
          ]),
        ),
    );
    for (const pair of pairs) {
      expect(pair.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
      expect(pair.filter(answer => answer.json().duplicate)).toHaveLength(1);
    }
  }

  const effects = await waitFor(
    async () => {
      const { rows } = await service.admin.query(
        `select data->>'eventId' as id, count(*)::int as count from webhooks.outbox_events
          where type = 'processor.customer.updated.v1' group by 1`,
      );
      return rows.length === PAIRS ? rows : undefined;
    },
    { what: 'every event to be told', timeoutMs: 20_000 },
  );
  expect(effects.filter(({ count }) => count !== 1)).toEqual([]);
  expect(new Set(effects.map(({ id }) => id))).toEqual(new Set(events.map(({ id }) => id)));
  expect((await service.list(team)).pagination.total).toBe(PAIRS);
}, 60_000);
