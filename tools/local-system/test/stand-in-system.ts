import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BillingPrograms, Surroundings } from '../src/billing-parts.ts';

export interface StandInOptions {
  /** The name of a program that ends at once, and what it says before. */
  failing?: { name: string; message: string };
}

/** Plans a processor, two services and a gateway that are stand-ins; the journal in the data folder tells their order. */
export function planStandIns({ failing }: StandInOptions = {}) {
  return async ({
    settings,
    natsUrl,
    databaseUrls,
    gatewayPort,
    choosePort,
  }: Surroundings): Promise<BillingPrograms> => {
    const program = async (name: string, port?: number) => {
      const listening = port ?? (await choosePort(name));
      return {
        name,
        entry: join(import.meta.dirname, 'stand-in.ts'),
        // Only for the check of former processes, which looks for the names of our programs.
        args: ['main.ts'],
        port: listening,
        logFile: join(settings.dataDir, 'logs', `${name}.log`),
        env: {
          PORT: `${listening}`,
          NAME: name,
          JOURNAL: join(settings.dataDir, 'journal'),
          UNREADY: join(settings.dataDir, `${name}.unready`),
          NATS_URL: natsUrl,
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

/** The names of the stand-ins in the order in which they were stopped. */
export async function stoppedInOrder(dataDir: string): Promise<string[]> {
  const lines = (await readFile(join(dataDir, 'journal'), 'utf8')).split('\n');
  return lines.flatMap(line => (line.endsWith(' stopped') ? [line.slice(0, -' stopped'.length)] : []));
}
