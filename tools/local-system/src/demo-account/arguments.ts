import { parseArgs } from 'node:util';
import { z } from 'zod';

const USAGE = `Usage: npm run demo:account -- [options]

  --customers <number>    20000 unless given
  --seed <number>         the same one makes the same past; 1 unless given
  --until <seconds>       when the past ends, since 1970; now unless given
  --key sk_test_…         of the account that is filled; follows from the seed unless given
  --url <address>         of the local processor; that of the system that runs here unless given`;

const count = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const options = z.strictObject({
  customers: count(1, 100_000).default(20_000),
  seed: count(0, 999_999).default(1),
  /** Unix seconds. */
  until: count(1_500_000_000, 4_000_000_000).optional(),
  key: z
    .string()
    .regex(/^sk_test_[A-Za-z0-9]{8,}$/, 'sk_test_ and eight or more letters and digits')
    .optional(),
  url: z.url({ protocol: /^https?$/ }).optional(),
});

/** What to fill, and where. */
export type DemoAccountArguments = Omit<z.output<typeof options>, 'key'> & {
  /** The secret key of the account; one that follows from the seed unless given. */
  readonly key: string;
};

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
    const given = options.parse(values);
    return { ...given, key: given.key ?? `sk_test_DemoAccount${String(given.seed).padStart(6, '0')}` };
  } catch (err) {
    const reason = err instanceof z.ZodError ? z.prettifyError(err) : err instanceof Error ? err.message : String(err);
    throw new Error(`${reason}\n\n${USAGE}`, { cause: err });
  }
}
