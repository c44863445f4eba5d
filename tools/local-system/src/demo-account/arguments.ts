import { parseArgs } from 'node:util';
import { z } from 'zod';

const USAGE = `Usage: npm run demo:account -- [options]

  --customers <number>    20000 unless given
  --key sk_test_…         of the account that is filled, which must have no customers
  --url <address>         of the local processor; that of the system that runs here unless given`;

const options = z.strictObject({
  customers: z.coerce.number().int().min(1).max(100_000).default(20_000),
  key: z
    .string()
    .regex(/^sk_test_[A-Za-z0-9]{8,}$/, 'sk_test_ and eight or more letters and digits')
    .default('sk_test_DemoAccount000001'),
  url: z.url({ protocol: /^https?$/ }).optional(),
});

/** What to fill, and where. */
export type DemoAccountArguments = z.output<typeof options>;

/**
 * Reads the arguments of the command.
 * @throws Error that says what is wrong, and how the command is used
 */
export function parseArguments(args: readonly string[]): DemoAccountArguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries(Object.keys(options.shape).map(name => [name, { type: 'string' as const }])),
    });
    return options.parse(values);
  } catch (err) {
    const reason = err instanceof z.ZodError ? z.prettifyError(err) : err instanceof Error ? err.message : String(err);
    throw new Error(`${reason}\n\n${USAGE}`, { cause: err });
  }
}
