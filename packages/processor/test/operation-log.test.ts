import type { FaultRequest } from '@billing/local-processor/control';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idempotencyKey } from '../src/idempotency-key.ts';
import type { Processor } from '../src/port.ts';
import { startCredits } from './start-credits.ts';

const CALL = { method: 'POST', path: '/v1/customers/' } as const;

it('carries out an enqueued operation once, however often it is enqueued', async () => {
  await using service = await startCredits();
  await service.enqueue('k1');
  await service.enqueue('k1');
  await Promise.all([service.reconcile(), service.reconcile()]);
  expect(await service.credits()).toMatchObject([{ id: 'credit-k1', status: 'credited' }]);
  expect(await service.sentKeys()).toEqual([idempotencyKey('credit', 'k1', 1)]);
  expect(await service.openOperations()).toEqual([]);
});

it.each<FaultRequest['mode']>(['500-but-done', '502html'])(
  'adopts at once what was done but answered %s',
  async mode => {
    await using service = await startCredits();
    // The credit is created, and every attempt after it gets another response.
    await service.control.fail({ ...CALL, mode: 'done-but-response-lost' });
    await service.control.fail({ ...CALL, mode, times: 20 });
    await service.enqueue('k1');
    await service.reconcile();
    expect(await service.credits()).toMatchObject([{ status: 'credited' }]);
    expect(await service.sentKeys()).toEqual([idempotencyKey('credit', 'k1', 1)]);
    expect(await service.openOperations()).toEqual([]);
  },
);

it('closes the key after a stored failure, and commits what a later search finds', async () => {
  await using service = await startCredits();
  await service.control.fail({ ...CALL, mode: '500' });
  await service.enqueue('k1');
  await service.reconcile();
  const [closed] = await service.openOperations();
  expect(closed).toMatchObject({ keyVersion: 1, keyClosedAt: expect.anything() });
  expect(closed?.dueInSeconds).toBeGreaterThan(290);

  await service.reconcile();
  expect(await service.operationLog.resume('credit-k1')).toBe(false);
  expect(await service.credits()).toEqual([]);

  await service.makeDue();
  await service.createElsewhere('k1');
  await service.reconcile();
  expect(await service.credits()).toMatchObject([{ status: 'credited' }]);
  expect(await service.sentKeys()).toEqual(['elsewhere']);
});

it('searches before it sends under a further key, and does not take a used key for a refusal', async () => {
  await using service = await startCredits();
  const taken = idempotencyKey('credit', 'k1', 1);
  await service.processor.createCustomer({ email: 'other@example.com', metadata: {} }, taken);
  await service.enqueue('k1');
  await service.reconcile();
  expect(await service.openOperations()).toMatchObject([{ keyVersion: 1, keyClosedAt: expect.anything() }]);
  await service.makeDue();
  await service.reconcile();
  expect(await service.credits()).toMatchObject([{ status: 'credited' }]);
  expect(await service.sentKeys()).toContain(idempotencyKey('credit', 'k1', 2));
});

it('sends under the next key version when the search finds nothing', async () => {
  await using service = await startCredits();
  await service.control.fail({ ...CALL, mode: '500' });
  await service.enqueue('k1');
  await service.reconcile();
  await service.makeDue();
  await service.reconcile();
  expect(await service.credits()).toMatchObject([{ status: 'credited' }]);
  expect(await service.sentKeys()).toEqual([idempotencyKey('credit', 'k1', 2)]);
});

it('closes a key that is 23 hours old instead of sending under it', async () => {
  await using service = await startCredits();
  await service.control.fail({ ...CALL, mode: 'dropped', times: 20 });
  await service.enqueue('k1');
  await service.reconcile();
  await service.letPass('23 hours 1 minute');
  await service.reconcile();
  expect(await service.openOperations()).toMatchObject([{ keyVersion: 1, keyClosedAt: expect.anything() }]);
  expect(await service.sentKeys()).toEqual([]);
});

it('cancels what the processor refuses', async () => {
  await using service = await startCredits();
  const refusing = { ...service.processor, createBalanceTransaction: () => service.processor.findCustomer('cus_none') };
  await service.enqueue('k1');
  await service.reconcile(refusing);
  expect(await service.credits()).toMatchObject([{ id: 'credit-k1', status: 'failed', error: expect.anything() }]);
  expect(await service.openOperations()).toEqual([]);
});

it('sends nothing once its lease is over', async () => {
  await using service = await startCredits();
  await service.enqueue('k1');
  service.beforeSending(async () => {
    service.beforeSending(async () => undefined);
    await service.makeDue();
    await service.operationLog.leaseDue(1);
  });
  await service.reconcile();
  expect(await service.sentKeys()).toEqual([]);
  expect(await service.openOperations()).toMatchObject([{ attempts: 2 }]);
});

type Trouble = FaultRequest['mode'] | 'crash before the call' | 'crash after the call';

it('makes exactly one object through any sequence of faults and crashes', async () => {
  const troubles = fc.array(
    fc.constantFrom<Trouble>(
      '429',
      '500',
      '500-but-done',
      'dropped',
      'done-but-response-lost',
      'crash before the call',
      'crash after the call',
    ),
    { maxLength: 4 },
  );
  await using service = await startCredits();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(troubles, async sequence => {
      run += 1;
      const before = (await service.sentKeys()).length;
      await service.enqueue(`run-${run}`);
      for (const trouble of sequence) {
        await service.control.clearFaults();
        if (trouble.startsWith('crash')) await service.reconcile(crashing(service.processor, trouble));
        else {
          await service.control.fail({ ...CALL, mode: trouble as FaultRequest['mode'], times: 20 }); // the others are no faults
          await service.reconcile();
        }
        await service.makeDue();
      }
      await service.control.clearFaults();
      for (let attempt = 0; (await service.openOperations()).length > 0 && attempt < 5; attempt += 1) {
        await service.makeDue();
        await service.reconcile();
      }
      expect((await service.sentKeys()).length - before).toBe(1);
      expect((await service.credits()).filter(({ id }) => id === `credit-run-${run}`)).toMatchObject([
        { status: 'credited' },
      ]);
    }),
    { numRuns: runs(12) },
  );
});

/** A process that dies just before or just after its call. */
function crashing(processor: Processor, when: string): Processor {
  return {
    ...processor,
    createBalanceTransaction: async (...args) => {
      if (when === 'crash after the call') await processor.createBalanceTransaction(...args);
      throw new Error('the process died');
    },
  };
}
