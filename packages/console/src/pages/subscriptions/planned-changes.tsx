import type { Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { pricesQuery } from '#api/queries.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { Open } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { formatPrice } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { CopyButton } from '#ui/copy.tsx';
import { formatMoney } from '#ui/money.ts';
import { Notice } from '#ui/notice.tsx';
import { Time } from '#ui/time.tsx';

type Pending = NonNullable<Subscription['pendingChange']>;
type Scheduled = NonNullable<Subscription['scheduledChange']>;

/** What a subscription changes to later: what waits for its payment, and what is scheduled, each with a way to take it back. */
export function PlannedChanges({ subscription }: { readonly subscription: Subscription }) {
  const { pendingChange, scheduledChange } = subscription;
  const [isOpen, setOpen] = useState(false);
  if (!pendingChange && !scheduledChange) return null;
  return (
    <div className="stack">
      {pendingChange && (
        <PendingNotice subscription={subscription} change={pendingChange} onDrop={() => setOpen(true)} />
      )}
      {scheduledChange && (
        // What is pending is taken back before it.
        <ScheduledNotice change={scheduledChange} {...(!pendingChange && { onDrop: () => setOpen(true) })} />
      )}
      {isOpen && (
        <Open onClose={() => setOpen(false)}>
          <DropDialog subscription={subscription} />
        </Open>
      )}
    </div>
  );
}

interface PendingNoticeProps {
  readonly subscription: Subscription;
  readonly change: Pending;
  readonly onDrop: () => void;
}

function PendingNotice({ subscription, change, onDrop }: PendingNoticeProps) {
  const { items, amountDue, reason, hostedInvoiceUrl, expiresAt } = change;
  const currency = subscription.items[0]?.currency ?? 'usd';
  return (
    <Notice tone="warn">
      <div className="stack-s">
        <p>
          <strong>A change waits for its payment.</strong> The plan becomes <PlannedItems items={items} /> once{' '}
          {formatMoney(amountDue, currency)} is paid; until then it is as before.{' '}
          {reason === 'authentication_required'
            ? 'The bank wants the customer to confirm the payment.'
            : 'The bank declined the payment: the customer can pay with another card.'}
        </p>
        <p>
          {hostedInvoiceUrl ? 'Send the customer the link to the page that does it. ' : ''}It ends{' '}
          <Time at={expiresAt} show="time" />, and then nothing changes.
        </p>
        <div className="row">
          {hostedInvoiceUrl && <CopyButton text={hostedInvoiceUrl}>Copy the payment link</CopyButton>}
          <Button small onClick={onDrop}>
            Drop the change…
          </Button>
        </div>
      </div>
    </Notice>
  );
}

function ScheduledNotice({ change, onDrop }: { readonly change: Scheduled; readonly onDrop?: () => void }) {
  return (
    <Notice>
      <div className="stack-s">
        <p>
          <strong>
            A change is scheduled for <Time at={change.effectiveAt} show="time" />.
          </strong>{' '}
          The plan becomes <PlannedItems items={change.items} />.
        </p>
        {onDrop && (
          <div className="row">
            <Button small onClick={onDrop}>
              Take it back…
            </Button>
          </div>
        )}
      </div>
    </Notice>
  );
}

/** What a subscription will bill: `3 × Pro, $29.00 a month`. */
function PlannedItems({ items }: { readonly items: Scheduled['items'] }) {
  const { data: prices = [] } = useQuery(pricesQuery(useProject()));
  const names = useProductNames();
  const shown = items.map(({ priceId, processorPriceId, quantity }) => {
    const price = prices.find(({ id }) => id === priceId);
    const name = names.ofPrice(priceId) ?? processorPriceId;
    return `${quantity} × ${name}${price ? `, ${formatPrice(price)}` : ''}`;
  });
  return <bdi>{shown.join(' + ')}</bdi>;
}

/** Takes back what is pending, else what is scheduled. */
function DropDialog({ subscription }: { readonly subscription: Subscription }) {
  const { billing, key } = useProject();
  // What the reader has decided about, also when it is applied meanwhile.
  const [isPending] = useState(subscription.pendingChange !== null);
  return (
    <ConfirmWrite
      title={isPending ? 'Drop the change' : 'Take the change back'}
      action={isPending ? 'Drop the change' : 'Take it back'}
      write={() => billing.subscriptions.dropChange(subscription.id)}
      stale={[key('subscriptions'), key('invoices')]}
      done={isPending ? 'The change is dropped, and its invoice is void.' : 'The change is taken back.'}
    >
      {isPending ? (
        <>
          The plan stays as it is. The invoice of the change is voided, so that nobody can pay it any more.
          {subscription.scheduledChange && ' The change that is scheduled stays.'}
        </>
      ) : (
        'The plan stays as it is, and renews at the end of the period.'
      )}
    </ConfirmWrite>
  );
}
