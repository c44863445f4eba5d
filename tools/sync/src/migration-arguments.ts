import { PriceId } from '@billing/contracts/ids';
import { z } from 'zod';
import { COMMON, COMMON_OPTIONS, parseCommand, type Environment } from './command-line.ts';

const usage = `Usage: BILLING_API_KEY=bil_… npm run price-migrations -- --team team_… --project proj_… --from pri_… --to pri_… [options]

  Moves all subscriptions of a price to another one at the end of their periods. The key needs the scopes
  subscriptions:read and subscriptions:write.

  --apply                   schedule the changes; without it nothing changes
  --remove-discounts        subscriptions lose their discounts when they change
  --created-before <time>   only subscriptions from before, such as 2026-01-01T00:00:00Z
  --filter key=value        only subscriptions with this metadata; may be given several times
  --limit <number>          subscriptions to print; 50 unless given
  --url <address>           of the gateway; http://localhost:8080 unless given`;

const given = z.object({
  ...COMMON,
  from: PriceId.schema,
  to: PriceId.schema,
  'remove-discounts': z.boolean().default(false),
  'created-before': z.iso.datetime({ offset: true }).optional(),
});

const options = {
  ...COMMON_OPTIONS,
  from: { type: 'string' },
  to: { type: 'string' },
  'remove-discounts': { type: 'boolean' },
  'created-before': { type: 'string' },
} as const;

/** @throws StartError that says what is wrong, and how the command is used */
export const parseMigration = (args: readonly string[], env: Environment): z.output<typeof given> =>
  parseCommand({ given, options, usage }, args, env);
