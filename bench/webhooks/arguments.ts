import { parseArgs } from 'node:util';
import { z } from 'zod';

const count = (atLeast: number) => z.coerce.number().int().min(atLeast);

const wanted = z.object({
  /** How often each side is measured. */
  rounds: count(1),
  /** Events of one round, for each side. */
  events: count(1),
  subscriptions: count(1),
  connections: count(1),
});
export type Arguments = z.output<typeof wanted>;

/**
 * Reads `--rounds 5 --events 10000 --subscriptions 1000 --connections 32`, which are the defaults.
 * @throws Error that names the argument that is wrong
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
  const read = wanted.safeParse(values);
  if (!read.success) throw new Error(z.prettifyError(read.error));
  return read.data;
}
