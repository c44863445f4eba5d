import type { PlanChange } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { usePreviewedWrite } from '#resource/use-previewed-write.ts';

/** The preview of a change, and what makes that change for the previewed amount; the dialog closes. */
export function usePlanChange(subscriptionId: string, change: PlanChange | undefined) {
  const { billing, key } = useProject();
  return usePreviewedWrite({
    queryKey: key('plan-change-preview', subscriptionId),
    wanted: change,
    costOf: it => it,
    read: (wanted, signal) => billing.subscriptions.previewChange(subscriptionId, wanted, { signal }),
    pin: (wanted, preview) => ({
      ...wanted,
      ...(preview?.prorationDate && { prorationDate: preview.prorationDate }),
      expectedAmountDue: preview?.amountDue,
    }),
    send: (sent: PlanChange, options) => billing.subscriptions.change(subscriptionId, sent, options),
    stale: [key('subscriptions'), key('invoices'), key('payments')],
    done: ({ change: { status } }) => DONE[status],
    onDone: useClose(),
  });
}

const DONE = {
  applied: 'The plan is changed.',
  scheduled: 'The plan changes at the end of the period.',
  pending_payment: 'The change waits for the payment of the customer.',
} as const;
