import { TeamId } from '@billing/contracts/ids';
import { keyRingOf } from '@billing/processor/key-ring';
import { expect, it } from 'vitest';
import { openSealedSecrets } from '../src/accounts/sealed-secrets.ts';
import { openSigningSecrets } from '../src/accounts/signing-secrets.ts';
import { startWebhooks, type WebhooksService } from './start-webhooks.ts';

/** Opens the secrets of a service on a clock that stands still, and counts their queries. */
function openCounted(service: WebhooksService) {
  let queries = 0;
  const em = Object.create(service.em, {
    fork: { value: () => ((queries += 1), service.em.fork()) },
  }) as typeof service.em; // each query needs a fork
  const sealed = openSealedSecrets({ keyRing: () => keyRingOf(service.credentialsKey), logger: service.logger });
  return {
    secrets: openSigningSecrets({ em, sealed, follow: service.bus.follow, clock: () => 0 }),
    queries: () => queries,
  };
}

it('reads unknown teams once that arrive together, and not again at once', async () => {
  await using service = await startWebhooks({ run: false });
  const { secrets, queries } = openCounted(service);
  const teams = Array.from({ length: 1_000 }, () => TeamId.create());
  for (const step of ['of', 'reload', 'of'] as const)
    expect((await Promise.all(teams.map(teamId => secrets[step](teamId)))).flat()).toEqual([]);
  expect(queries()).toBe(1);
  secrets.close();
});

it('keeps a real team in memory, whatever number of teams is invented', async () => {
  await using service = await startWebhooks({ run: false });
  const { teamId, webhookSecret } = await service.newTeam();
  const { secrets, queries } = openCounted(service);
  expect(await secrets.of(teamId)).toMatchObject([{ secret: webhookSecret }]);
  await Promise.all(Array.from({ length: 10_001 }, () => secrets.of(TeamId.create())));
  const before = queries();
  expect(await secrets.of(teamId)).toMatchObject([{ secret: webhookSecret }]);
  expect(queries()).toBe(before);
  secrets.close();
});
