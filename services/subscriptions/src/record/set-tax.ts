import type { ProjectScope, SubscriptionId } from '@billing/contracts/ids';
import { unprocessable } from '@billing/contracts/problem';
import type { AuditContext } from '@billing/contracts/resources/audit-entry';
import { isRefusedFor } from '@billing/processor/errors';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { changeAtProcessor, changeInput, changeKind, followingKind } from './change-at-processor.ts';
import { RESTART_TAX } from './stopped-tax.ts';
import type { Subscription } from './subscription.entity.ts';

const input = changeInput.extend({ automatic: z.boolean() });

/** Turns automatic tax on or off, as a caller wants it. */
export const setTaxKind = (dependencies: Pick<Dependencies, 'now'>) =>
  changeKind(
    {
      name: 'set-tax',
      input,
      send: (processor, { input: { processorSubscriptionId: id, automatic }, idempotencyKey }) =>
        processor.setAutomaticTax(id, automatic, idempotencyKey),
      isDone: ({ tax }, { automatic }) => tax.automatic === automatic && tax.stoppedReason === null,
    },
    dependencies,
  );

/**
 * Turns automatic tax of a subscription on or off at the processor, without proration.
 * @throws Problem 422 `tax_location_invalid`; what `changeAtProcessor` throws
 */
export function setTax(dependencies: Pick<Dependencies, 'outbox' | 'processors' | 'operationLog' | 'now'>) {
  const changeTax = changeAtProcessor(dependencies);
  const kind = setTaxKind(dependencies);
  return async (
    scope: ProjectScope,
    id: SubscriptionId,
    automatic: boolean,
    context: AuditContext,
  ): Promise<Subscription> => {
    try {
      return await changeTax(
        kind,
        scope,
        { id },
        {
          toInput: common => ({ ...common, automatic }),
          changesOf: ({ taxAutomatic: from }) =>
            from === automatic ? [] : [{ field: 'tax.automatic', from, to: automatic }],
          context,
        },
      );
    } catch (err) {
      if (!isRefusedFor(err, { code: 'customer_tax_location_invalid' })) throw err;
      throw unprocessable(
        'tax_location_invalid',
        'Tax cannot be computed for the customer: give it a whole address in its billing details first.',
      );
    }
  };
}

/** Turns automatic tax on again that the processor had stopped, unless somebody turned it on or off meanwhile. */
export const restartTaxKind = (dependencies: Pick<Dependencies, 'now'>) =>
  followingKind(
    {
      name: RESTART_TAX,
      input: changeInput,
      async send(processor, { input: { processorSubscriptionId: id }, idempotencyKey }) {
        const current = await processor.findSubscription(id);
        return current.tax.stoppedReason === null ? current : processor.setAutomaticTax(id, true, idempotencyKey);
      },
      isDone: ({ tax }) => tax.stoppedReason === null,
    },
    dependencies,
  );
