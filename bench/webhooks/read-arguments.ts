import { parseArgs } from 'node:util';
import { z } from 'zod';

const positiveInteger = z.coerce.number().int().min(1);

const argumentsSchema = z.object({
  /** How many times each side is measured. */
  rounds: positiveInteger,
  /** Events per round and side. */
  events: positiveInteger,
  subscriptions: positiveInteger,
  connections: positiveInteger,
});
export type Arguments = z.output<typeof argumentsSchema>;

/**
 * Parses the arguments; the defaults are `--rounds 5 --events 10000 --subscriptions 1000 --connections 32`.
 * @throws Error that names the invalid argument
 */
export function readArguments(args: string[]): Arguments {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      events: { type: 'string', default: '10000' },
      subscriptions: { type: 'string', default: '1000' },
      connections: { type: 'string', default: '32' },
    },
  });
  const parsed = argumentsSchema.safeParse(values);
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  return parsed.data;
}
