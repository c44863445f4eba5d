import { syncType } from '@billing/contracts/resources/sync';
import { z } from 'zod';
import { COMMON, COMMON_OPTIONS, parseCommand, type Environment } from './command-line.ts';

const usage = `Usage: BILLING_API_KEY=bil_… npm run sync -- --team team_… --project proj_… [options]

  Compares the payment processor's account with the records of a project. The key needs the scopes
  customers:…, products:… and subscriptions:…, read and write.

  --apply                 make the records equal to the account; without it nothing changes
  --types a,b             of product, price, coupon, customer, promotion_code, subscription, invoice, payment; all unless given
  --filter key=value      take objects with this metadata; may be given several times, and once at least: an API key may not
                          compare the whole account, which the console does
  --mark                  write our ids into the metadata at the processor
  --limit <number>        findings to print; 50 unless given
  --url <address>         of the gateway; http://localhost:8080 unless given`;

const given = z.object({
  ...COMMON,
  types: z
    .string()
    .transform(list => list.split(','))
    .pipe(z.array(syncType))
    .optional(),
  mark: z.boolean().default(false),
});

const options = {
  ...COMMON_OPTIONS,
  types: { type: 'string' },
  mark: { type: 'boolean' },
} as const;

/** @throws StartError that says what is wrong, and how the command is used */
export const parseArguments = (args: readonly string[], env: Environment): z.output<typeof given> =>
  parseCommand({ given, options, usage }, args, env);
