import { unavailable } from '@billing/contracts/problem';
import { ProcessorError } from '@billing/processor/errors';
import type { Processor } from '@billing/processor/port';
import { Stripe } from 'stripe';
import { openSubscriptionsOperationLog } from '../src/open-operation-log.ts';
import type { Service } from './service.ts';

const died = () => new Error('the process died');
const withoutResponse = () => unavailable('The payment processor does not respond at the moment.');
const failed = () =>
  new ProcessorError('no', new Stripe.errors.StripeAPIError({ message: 'no', type: 'api_error', statusCode: 500 }));

/** What happens to a call: whether it is made, and what its caller learns. */
const ENDS = {
  'dies before': { isMade: false, error: died },
  'dies after': { isMade: true, error: died },
  'gets no response before': { isMade: false, error: withoutResponse },
  'gets no response after': { isMade: true, error: withoutResponse },
  'fails before': { isMade: false, error: failed },
  'fails after': { isMade: true, error: failed },
} as const;
export type End = keyof typeof ENDS;

export const ALL_ENDS = Object.keys(ENDS) as End[]; // its own keys

/** Returns a processor on which the first call of one step ends so. */
export function interrupted(processor: Processor, step: keyof Processor, end: End): Processor {
  let isFirst = true;
  const call = processor[step] as (...args: readonly unknown[]) => Promise<unknown>; // each step is called with its own arguments
  const once = async (...args: readonly unknown[]) => {
    if (!isFirst) return call(...args);
    isFirst = false;
    if (ENDS[end].isMade) await call(...args);
    throw ENDS[end].error();
  };
  return { ...processor, [step]: once };
}

/** Returns what the operations of a process with this processor depend on. */
export function dependenciesWith(service: Service, processor: Processor) {
  const processors = { of: async () => processor };
  return { ...service, processors, operationLog: openSubscriptionsOperationLog({ ...service, processors }) };
}

/** Repeats a request in living processes until it has an outcome, as callers do. */
export async function repeated<Result>(service: Service, request: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    await service.endLeases();
    const settled = await request().then(
      result => ({ result }),
      (error: unknown) => ({ error }),
    );
    if ('result' in settled) return settled.result;
    if (attempt === 3) throw settled.error;
  }
}
