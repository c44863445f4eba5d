// Deletes handled events from the stream of ADMIN_NATS_URL whenever it is half full, until it is stopped.
import { natsUrl, parseEnv } from '@billing/service/env';
import { z } from 'zod';
import { keepStream } from '../backing-services.ts';

const { ADMIN_NATS_URL: url } = parseEnv(z.object({ ADMIN_NATS_URL: natsUrl }));
const stop = await keepStream(url, { report: line => console.log(line) });
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
