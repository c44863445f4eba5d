import { BillingError } from '@billing/client';

/** The error of a call that must fail. */
export async function refusal(calling: Promise<unknown>): Promise<BillingError> {
  const failure = await calling.then(
    () => undefined,
    (err: unknown) => err,
  );
  if (failure instanceof BillingError) return failure;
  throw new Error('Expected a BillingError.', { cause: failure });
}
