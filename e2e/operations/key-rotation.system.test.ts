import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drain } from '../system/drain.ts';
import { runForSystem } from '../system/operator-command.ts';
import { startSystem } from '../system/start-system.ts';
import { startTraffic } from '../system/tenant-life.ts';
import { newTenant } from '../system/tenant.ts';

const ROTATE = 'services/webhooks/src/rotate-keys/main.ts';

it('rotates the master key while customers subscribe, and then needs the newest only', async () => {
  const system = await startSystem();
  await using stopping = new AsyncDisposableStack();
  stopping.defer(() => system.stop());
  const { dataDir } = system;
  const tenant = await newTenant(system);
  // Every checkout and every webhook opens one of the team's secrets; a failed request ends the traffic with its error.
  const traffic = startTraffic(tenant);
  await traffic.untilSubscribed(2);
  for (const version of [2, 3]) {
    const rotated = await runForSystem(dataDir, ROTATE);
    expect(rotated.output).toContain(`2 secrets sealed with version ${version} of the master key`);
    expect(rotated.exitCode).toBe(0);
    await traffic.untilSubscribed(2);
  }
  // Nothing needs the old versions any more.
  const file = join(dataDir, 'credentials-keys');
  const [newest, ...old] = (await readFile(file, 'utf8')).trim().split('\n');
  expect(old).toHaveLength(2);
  await writeFile(file, `${newest}\n`);
  await traffic.untilSubscribed(2);
  await traffic.stop();
  await drain(tenant);
  const events = await tenant.api.get(`${tenant.P}/webhook-events?status=failed`);
  expect(events.body.webhookEvents).toEqual([]);
});
