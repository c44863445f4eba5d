import { natsAccounts } from '@billing/messaging/nats-accounts';
import { natsPasswordVariable } from '../secrets.ts';

/** The configuration of nats-server in containers; it reads the passwords from its environment. */
export function natsConfig(): string {
  return [
    '# Made by `npm run nats:config` from what the services declare in packages/contracts/src/bus-access.ts.',
    'listen: "0.0.0.0:4222"',
    'max_payload: 4MB',
    'jetstream { store_dir: "/data", sync_interval: always }',
    natsAccounts({ admin: '$NATS_PASSWORD', of: service => `$${natsPasswordVariable(service)}` }),
  ].join('\n');
}
