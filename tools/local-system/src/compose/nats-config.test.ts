import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { natsConfig } from './nats-config.ts';

it('is what the committed configuration of nats-server says', () => {
  const file = new URL('../../../docker/nats-server.conf', import.meta.url);
  // If it is not: npm run nats:config.
  expect(readFileSync(file, 'utf8')).toBe(natsConfig());
});
