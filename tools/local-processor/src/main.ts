import { pino } from 'pino';
import { z } from 'zod';
import { startLocalProcessor } from './server.ts';

const list = z
  .string()
  .default('')
  .transform(text => text.split(/\s*,\s*/).filter(item => item !== ''));

const environment = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(12_111),
  HOST: z.string().min(1).default('127.0.0.1'),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  LOCALHOST: z
    .string()
    .regex(/^[a-z\d.-]+:\d+$/i, 'Expected a host and a port, as gateway:3000')
    .optional(),
  /** `processor,billing.local`: names by which clients may call it beside localhost and those of PUBLIC_URL. */
  HOSTS: list,
  /** `https://billing.example.com`: where webhooks may go beside this machine; `*` for anywhere. */
  WEBHOOK_ORIGINS: list,
  DATA_FILE: z.string().min(1).optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

const env = environment.safeParse(process.env);
if (env.success) await run(env.data);
else fail(`The environment of the local processor is not valid:\n${z.prettifyError(env.error)}`);

async function run({
  PORT,
  HOST,
  PUBLIC_URL,
  LOCALHOST,
  HOSTS,
  WEBHOOK_ORIGINS,
  DATA_FILE,
  LOG_LEVEL,
}: z.output<typeof environment>): Promise<void> {
  const output = pino.destination({ dest: 1, sync: true, maxLength: 1_048_576 });
  // A log that can not be written does not end the process.
  output.on('error', () => {});
  const logger = pino({ level: LOG_LEVEL, name: 'local-processor' }, output);
  try {
    const processor = await startLocalProcessor({
      port: PORT,
      host: HOST,
      logger,
      publicUrl: PUBLIC_URL,
      localhost: LOCALHOST,
      hosts: HOSTS,
      webhookOrigins: WEBHOOK_ORIGINS,
      ...(DATA_FILE === undefined ? {} : { dataFile: DATA_FILE }),
    });
    const stop = () => void processor.close();
    process.once('SIGTERM', stop).once('SIGINT', stop);
    logger.info({ url: processor.url }, 'local processor started');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fail(`The local processor did not start on ${HOST}:${PORT}: ${reason}. Set PORT, HOST or DATA_FILE.`);
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
