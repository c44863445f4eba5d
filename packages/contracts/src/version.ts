import { z } from 'zod';

/**
 * Counts what was published of a record, from 1. The state with the higher version is newer and includes the lower one: a
 * consumer ignores a state unless its version is higher than the one it has.
 */
export const version = z.int();
