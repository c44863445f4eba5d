import type { Subscription } from '@billing/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormProblem } from '#ui/form.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { useSchedule } from './use-schedule.ts';

const ENDED: readonly Subscription['status'][] = ['canceled', 'incomplete_expired'];

/** Cancels a subscription at the end of its period or now, or takes a scheduled cancellation back. */
export function SubscriptionActions({ subscription }: { readonly subscription: Subscription }) {
  const [canceling, setCanceling] = useState(false);
  const schedule = useSchedule();
  if (ENDED.includes(subscription.status)) return null;
  return (
    <>
      {subscription.cancelAtPeriodEnd ? (
        <Button small onClick={() => schedule(subscription, false)}>
          Resume
        </Button>
      ) : (
        <Button small onClick={() => setCanceling(true)}>
          Cancel…
        </Button>
      )}
      {canceling && <CancelDialog subscription={subscription} onClose={() => setCanceling(false)} />}
    </>
  );
}

function CancelDialog({
  subscription,
  onClose,
}: {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}) {
  const { billing, key } = useProject();
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const schedule = useSchedule();
  const now = useMutation({
    mutationFn: () => billing.subscriptions.cancelNow(subscription.id),
    onSuccess: () => {
      onClose();
      toasts.done('The subscription has ended.');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: key() }),
  });
  return (
    <Dialog title="Cancel the subscription" onClose={onClose}>
      <p>
        At the end of the paid period the customer keeps what they paid for, until{' '}
        <Time at={subscription.currentPeriodEnd} />, and it can be resumed until then. Canceling now cannot be undone.
      </p>
      <FormProblem error={now.error} />
      <div className="dialog-actions">
        <Button kind="danger" busy={now.isPending} onClick={() => now.mutate()}>
          Cancel now
        </Button>
        <Button
          kind="primary"
          onClick={() => {
            onClose();
            schedule(subscription, true);
          }}
        >
          Cancel at the end of the period
        </Button>
      </div>
    </Dialog>
  );
}
