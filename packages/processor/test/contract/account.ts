import { expect, it } from 'vitest';
import { isRefusedKey } from '../../src/errors.ts';
import { stripeProcessor } from '../../src/stripe-processor.ts';
import type { Cases } from './cases.ts';

/** Tests the account of a secret key. */
export function accountCases({ processor, standIn }: Cases): void {
  it('is the same for the same key', async () => {
    const { accountId } = await processor().findAccount();
    const again = stripeProcessor(standIn().secretKey, standIn().baseUrl);
    expect(await again.findAccount()).toEqual({ accountId });
  });

  it('rejects an invalid key', async () => {
    const refused = stripeProcessor('sk_test_invalid00000000', standIn().baseUrl).findAccount();
    await expect(refused).rejects.toSatisfy(isRefusedKey);
  });
}
