// Writes tools/docker/nats-server.conf, after a change of what a service does on the bus.
import { writeFileSync } from 'node:fs';
import { natsConfig } from './nats-config.ts';

writeFileSync(new URL('../../../docker/nats-server.conf', import.meta.url), natsConfig());
