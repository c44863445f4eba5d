import { parseArgs } from 'node:util';
import { z } from 'zod';

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
 * @throws Error that names what is wrong
 */
export function parseArguments(args: readonly string[]): DemoAccountArguments {
  const { values } = parseArgs({
    args: [...args],
    options: Object.fromEntries(Object.keys(options.shape).map(name => [name, { type: 'string' as const }])),
  });
  const parsed = options.safeParse(values);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  const { key = `sk_test_DemoAccount${String(parsed.data.seed).padStart(6, '0')}`, ...given } = parsed.data;
  return { ...given, key };
}
