import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { createApp } from './app.ts';
import { Processor, type ProcessorAddresses } from './processor.ts';
import { noDataFile, openDataFile } from './store/data-file.ts';

/** Time that running requests have to complete when the server closes. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

/** The hosted pages are by default at the URL that the server listens on. */
export interface LocalProcessorOptions extends ProcessorAddresses {
  /** 0 chooses a free port. */
  port?: number;
  host?: string;
  /** Names of this machine beside those of loopback, by which clients may call it. */
  hosts?: readonly string[] | undefined;
  /** A SQLite file for all state; without it state is in memory. */
  dataFile?: string;
  logger?: Logger;
}

export interface LocalProcessor {
  /** For example `http://127.0.0.1:12111`. */
  url: string;
  /** Stops the server and webhook deliveries. Committed changes are on disk. */
  close: () => Promise<void>;
}

/**
 * Starts the local processor. Resolves once it accepts requests.
 * @throws when the port is in use or the data file cannot be opened
 */
export async function startLocalProcessor(options: LocalProcessorOptions = {}): Promise<LocalProcessor> {
  const {
    port = 0,
    host = '127.0.0.1',
    hosts = [],
    dataFile,
    logger = pino({ level: 'silent' }),
    ...addresses
  } = options;
  const { publicUrl } = addresses;
  const file = dataFile === undefined ? noDataFile : openDataFile(dataFile);
  const processor = new Processor(file, logger, addresses);
  const names = publicUrl === undefined ? hosts : [...hosts, new URL(publicUrl).hostname];
  const app = createApp(processor, logger, names);
  try {
    await app.listen({ port, host });
  } catch (error) {
    processor.close();
    throw error;
  }
  const url = addressOf(app.server.address(), host);
  processor.publicUrl = (publicUrl ?? url).replace(/\/$/, '');
  processor.resume();
  return {
    url,
    close: async () => {
      const timer = setTimeout(() => app.server.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
      await app.close();
      clearTimeout(timer);
      processor.close();
    },
  };
}

function addressOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // Clients cannot connect to a wildcard address.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
