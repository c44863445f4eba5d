import type { Outbox } from '@billing/messaging/outbox';
import { openOperationLog, type OperationLog } from '@billing/processor/operation-log/operation-log';
import type { TeamProcessors } from '@billing/processor/team-processors';
import type { RpcClient } from '@billing/messaging/rpc';
import type { Logger } from 'pino';
import { createInvoiceKind } from './invoicing/create-invoice.ts';
import { deleteDraftKind } from './invoicing/delete-draft.ts';
import { finalizeInvoiceKind } from './invoicing/finalize-invoice.ts';
import { createInvoiceItemKind, deleteInvoiceItemKind } from './invoicing/invoice-items.ts';
import { cancelNowKind } from './record/cancel-now.ts';
import { changeInvoiceKind } from './money/change-invoice.ts';
import { voidLeftInvoiceKind } from './money/void-left-invoice.ts';
import { changePlanKind } from './plan-changes/change-plan.ts';
import { dropPlanChangeKind } from './plan-changes/drop-plan-change.ts';
import { followSubscriptionKind } from './plan-changes/follow-subscription.ts';
import { resumePausedKind } from './plan-changes/resume-paused.ts';
import { refundPaymentKind } from './money/refund-payment.ts';
import { pauseKind, resumeKind } from './record/pause-collection.ts';
import { restartTaxKind, setTaxKind } from './record/set-tax.ts';
import { scheduleCancellationKind } from './record/schedule-cancellation.ts';
import { setTrialEndKind } from './plan-changes/set-trial-end.ts';
import { setDiscountKind } from './plan-changes/set-discount.ts';
import { sellAtOnceKind } from './checkout/sell-at-once.ts';
import { createCheckoutKind } from './checkout/start-checkout.ts';

interface SubscriptionsOperationLogOptions {
  readonly outbox: Outbox;
  readonly processors: TeamProcessors;
  readonly rpc: RpcClient;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Opens the log of what this service writes to the processor for its callers. */
export function openSubscriptionsOperationLog({
  now,
  rpc,
  ...options
}: SubscriptionsOperationLogOptions): OperationLog {
  const { outbox, processors } = options;
  const kinds = [
    createCheckoutKind({ now }),
    sellAtOnceKind({ em: outbox.em, processors, rpc, now }),
    scheduleCancellationKind({ now }),
    cancelNowKind({ processors, now }),
    voidLeftInvoiceKind({ now }),
    pauseKind({ now }),
    resumeKind({ now }),
    resumePausedKind({ processors, now }),
    setTaxKind({ now }),
    setTrialEndKind({ now }),
    restartTaxKind({ now }),
    changePlanKind({ em: outbox.em, processors, rpc, now }),
    dropPlanChangeKind({ em: outbox.em, processors, now }),
    followSubscriptionKind({ now }),
    setDiscountKind({ now }),
    refundPaymentKind({ now }),
    changeInvoiceKind('void', { now }),
    changeInvoiceKind('uncollectible', { now }),
    changeInvoiceKind('paid', { now }),
    changeInvoiceKind('paidElsewhere', { now }),
    changeInvoiceKind('sent', { now }),
    createInvoiceKind({ em: outbox.em, processors, rpc, now }),
    finalizeInvoiceKind({ now }),
    deleteDraftKind({ now }),
    createInvoiceItemKind(),
    deleteInvoiceItemKind(),
  ];
  return openOperationLog({ ...options, kinds });
}
