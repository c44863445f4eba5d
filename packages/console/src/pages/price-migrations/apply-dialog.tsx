import type { PriceMigration } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Time } from '#ui/time.tsx';
import { subscriptionsOf } from './migration-words.ts';
import { PriceLabel } from './price-label.tsx';

interface ApplyDialogProps {
  readonly report: PriceMigration;
  readonly onClose: () => void;
}

/** Asks before the changes of a report are scheduled, and says what that means. */
export function ApplyDialog({ report, onClose }: ApplyDialogProps) {
  const { billing, key } = useProject();
  const open = useOpenPage();
  // Sent again because its response was lost, it is the same migration.
  const [idempotencyKey] = useState(() => randomHex(32));
  const { fromPriceId, toPriceId, keepDiscounts, filter, counts, finishedAt } = report;
  const { createdBefore, metadata } = filter;
  const apply = useWrite({
    write: () =>
      billing.priceMigrations.create(
        {
          mode: 'apply',
          fromPriceId,
          toPriceId,
          keepDiscounts,
          filter: { ...(createdBefore !== null && { createdBefore }), metadata },
        },
        { idempotencyKey },
      ),
    stale: [key()],
    onDone: ({ id }) => {
      onClose();
      open(`price-migrations/${id}`);
    },
  });
  return (
    <ConfirmDialog title="Apply the price migration" action="Schedule the changes" write={apply} onClose={onClose}>
      <div className="stack">
        <p>
          By the report of <Time at={finishedAt} show="time" />, {subscriptionsOf(counts.to_change)} will change from{' '}
          <PriceLabel id={fromPriceId} /> to <PriceLabel id={toPriceId} />, each at the end of its period.
          {!keepDiscounts && ' Their discounts end with the change.'}
        </p>
        <p className="muted">
          {counts.skipped > 0 && `${subscriptionsOf(counts.skipped)} will stay as they are. `}
          Nothing is charged today. What has changed since the report counts too. Each scheduled change can be taken
          back on its subscription, until it applies. Customers are not told: do that before.
        </p>
      </div>
    </ConfirmDialog>
  );
}
