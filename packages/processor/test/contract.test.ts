import { randomBytes } from 'node:crypto';
import { LocalProcessorControl } from '@billing/local-processor/control';
import { startLocalProcessor } from '@billing/local-processor/server';
import { processorContract } from '../src/contract/suite.ts';

processorContract('the local processor', async () => {
  const { url, close } = await startLocalProcessor();
  const secretKey = `sk_test_${randomBytes(12).toString('hex')}`;
  const control = new LocalProcessorControl(url, secretKey);
  return {
    baseUrl: url,
    secretKey,
    pay: async ({ id }) => {
      await control.checkout(id, 'pay');
    },
    close,
  };
});
