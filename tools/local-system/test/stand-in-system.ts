import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BillingPrograms, PlanInputs } from '../src/billing-programs.ts';

export interface StandInOptions {
  /** A program that prints a message and exits at once. */
  failing?: { name: string; message: string };
}

/** Plans stand-ins for a processor, two services and a gateway. They log their starts and stops in the data folder. */
export function planStandIns({ failing }: StandInOptions = {}) {
  return async ({
    settings,
    natsUrls,
    databaseUrls,
    gatewayPort,
    choosePort,
  }: PlanInputs): Promise<BillingPrograms> => {
    const program = async (name: string, port?: number) => {
      const listening = port ?? (await choosePort(name));
      return {
        name,
        entry: join(import.meta.dirname, 'stand-in.ts'),
        // The check for processes of a previous start looks for this name.
        args: ['main.ts'],
        port: listening,
        logFile: join(settings.dataDir, 'logs', `${name}.log`),
        env: {
          PORT: `${listening}`,
          NAME: name,
          LIFECYCLE_LOG: join(settings.dataDir, 'lifecycle.log'),
          UNREADY: join(settings.dataDir, `${name}.unready`),
          NATS_URL: natsUrls.catalog,
          DATABASE_URL: databaseUrls.catalog,
          ...(failing?.name === name ? { FAIL: failing.message } : {}),
        },
      };
    };
    return {
      processor: await program('processor'),
      services: [await program('catalog'), await program('customers')],
      gateway: await program('gateway', gatewayPort),
    };
  };
}

/** Returns the names of the stand-ins in the order in which they stopped. */
export async function stoppedInOrder(dataDir: string): Promise<string[]> {
  const lines = (await readFile(join(dataDir, 'lifecycle.log'), 'utf8')).split('\n');
  return lines.flatMap(line => (line.endsWith(' stopped') ? [line.slice(0, -' stopped'.length)] : []));
}
