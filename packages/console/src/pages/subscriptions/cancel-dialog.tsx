import type { Subscription } from '@billing/client';
import { useId, useState, type ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { Time } from '#ui/time.tsx';
import { CancelAtEnd, CancelNow } from './cancel-consequences.tsx';
import { CancellationFields, cancellationOf } from './cancellation-fields.tsx';
import { SubscriptionSummary } from './subscription-summary.tsx';
import { useSchedule } from './use-schedule.ts';
import { endsOnlyNow, nextStep } from './next-step.ts';

interface SubscriptionDialogProps {
  readonly subscription: Subscription;
  readonly onClose: () => void;
}

/** Cancels a subscription at the end of its period, or now. */
export function CancelDialog({ subscription, onClose }: SubscriptionDialogProps) {
  const { billing, key } = useProject();
  const schedule = useSchedule();
  const isOnlyNow = endsOnlyNow(subscription);
  const [isNow, setIsNow] = useState(isOnlyNow);
  const now = useWrite({
    write: (fields: FormData) => billing.subscriptions.cancelNow(subscription.id, cancellationOf(fields)),
    stale: [key()],
    done: 'The subscription has ended.',
    onDone: onClose,
  });
  const atEnd = {
    isPending: false,
    error: undefined,
    mutate: (fields: FormData) => {
      onClose();
      schedule(subscription, true, cancellationOf(fields));
    },
  };
  return (
    <FormDialog
      title="Cancel the subscription"
      lead={<SubscriptionSummary subscription={subscription} />}
      action={isNow ? 'Cancel now' : 'Cancel at the end of the period'}
      kind="danger"
      write={isNow ? now : atEnd}
      onClose={onClose}
    >
      {isOnlyNow ? (
        <CancelNow subscription={subscription} />
      ) : (
        <fieldset className="stack-s">
          <legend className="visually-hidden">When it ends</legend>
          <Choice title="At the end of the period" chosen={!isNow} onChoose={() => setIsNow(false)}>
            <CancelAtEnd subscription={subscription} />
          </Choice>
          <Choice title="Now" chosen={isNow} onChoose={() => setIsNow(true)}>
            <CancelNow subscription={subscription} />
          </Choice>
        </fieldset>
      )}
      <CancellationFields known={subscription.cancellation} />
    </FormDialog>
  );
}

/** Takes a scheduled cancellation back. */
export function ResumeDialog({ subscription, onClose }: SubscriptionDialogProps) {
  const schedule = useSchedule();
  const { at, amount } = nextStep({ ...subscription, cancelAtPeriodEnd: false, cancelAt: null });
  const write = {
    isPending: false,
    error: undefined,
    mutate: () => {
      onClose();
      schedule(subscription, false);
    },
  };
  return (
    <ConfirmDialog title="Resume the subscription" action="Resume" isHarmless write={write} onClose={onClose}>
      <div className="stack">
        <SubscriptionSummary subscription={subscription} />
        <p>
          It does not end on <Time at={nextStep(subscription).at} />, but goes on.{' '}
          {amount ? `The next ${amount}, before discounts and taxes, is charged on ` : 'The next charge is due on '}
          <Time at={at} />; nothing is charged today.
        </p>
      </div>
    </ConfirmDialog>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** One of the ways to cancel, with its consequences. */
function Choice({ title, chosen, onChoose, children }: ChoiceProps) {
  const [id, textId] = [useId(), useId()];
  return (
    <div className="check">
      <input type="radio" id={id} aria-describedby={textId} name="when" checked={chosen} onChange={onChoose} />
      <div>
        <label htmlFor={id}>
          <strong>{title}</strong>
        </label>
        <div id={textId} className="muted">
          {children}
        </div>
      </div>
    </div>
  );
}
