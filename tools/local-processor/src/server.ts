import type { AddressInfo } from 'node:net';
import { type Logger, pino } from 'pino';
import { createApp } from './app.ts';
import { Processor } from './processor.ts';
import { noDataFile, openDataFile } from './store/data-file.ts';

/** How long requests that still run may take to end when the server closes. */
const CLOSING_MS = 2_000;

export interface LocalProcessorOptions {
  /** 0 takes a free port. */
  port?: number;
  host?: string;
  /** Where browsers reach the hosted pages; without it, where the server listens. */
  publicUrl?: string;
  /** A SQLite file that keeps everything over a restart; without it everything is in memory. */
  dataFile?: string;
  logger?: Logger;
}

export interface LocalProcessor {
  /** Where it listens, for example `http://127.0.0.1:12111`. */
  url: string;
  /** Stops listening and sending; what was committed is kept. */
  close: () => Promise<void>;
}

/** Starts the stand-in for Stripe. Resolves once it answers; fails if the port is taken or the file cannot be opened. */
export async function startLocalProcessor(options: LocalProcessorOptions = {}): Promise<LocalProcessor> {
  const { port = 0, host = '127.0.0.1', publicUrl, dataFile, logger = pino({ level: 'silent' }) } = options;
  const file = dataFile === undefined ? noDataFile : openDataFile(dataFile);
  const processor = new Processor(file, logger, publicUrl ?? '');
  const app = createApp(processor, logger);
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
      const impatient = setTimeout(() => app.server.closeAllConnections(), CLOSING_MS);
      await app.close();
      clearTimeout(impatient);
      processor.close();
    },
  };
}

function addressOf(address: AddressInfo | string | null, host: string): string {
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // A wildcard address is not one to connect to.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
