import { expect, it } from 'vitest';
import { type LocalSystemOptions, startLocalSystem } from '../src/local-system.ts';
import { temporaryDataDir } from './data-folder.ts';
import { planStandIns } from './stand-in-system.ts';

const start = (dataDir: string, options: Partial<LocalSystemOptions> = {}) =>
  startLocalSystem({ dataDir, planPrograms: planStandIns(), ...options });

it('shows the log of a service that does not start, and leaves nothing running', async () => {
  await using data = await temporaryDataDir();
  const failing = { name: 'customers', message: 'customers: SERVICE_KEY is missing' };
  await expect(start(data.path, { planPrograms: planStandIns({ failing }) })).rejects.toThrow(
    /customers ended with exit code 1[\s\S]*SERVICE_KEY is missing/,
  );
  // The folder and the ports are free again.
  const again = await start(data.path);
  await again.stop();
});

it('aborts a start and leaves nothing running', async () => {
  await using data = await temporaryDataDir();
  const controller = new AbortController();
  const starting = start(data.path, {
    signal: controller.signal,
    report: line => line.startsWith('postgres') && controller.abort(new Error('Aborted by the test.')),
  });
  await expect(starting).rejects.toThrow('Aborted by the test.');
  const again = await start(data.path);
  await again.stop();
});
