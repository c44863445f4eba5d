export { TimeoutError as TookTooLong, withTimeout } from './timed-transaction.ts';
