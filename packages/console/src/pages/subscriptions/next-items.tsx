import type { InvoiceItem, Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { nextItemsQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { FrameDialogButton } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { Badge } from '#ui/badge.tsx';
import { formatMoney } from '#ui/money.ts';
import { hasEnded } from './next-step.ts';

const NextItemDialog = lazyRouteComponent(() => import('./next-item-dialog.tsx'), 'NextItemDialog');

interface NextItemsProps {
  readonly subscription: Subscription;
}

/** What the next invoice of a subscription bills besides its plan, to be added and taken back. */
export function NextItemsCard({ subscription }: NextItemsProps) {
  if (hasEnded(subscription)) return null;
  return (
    <Card title="With the next invoice" actions={<AddNextItem subscription={subscription} />}>
      <NextItems subscription={subscription} />
    </Card>
  );
}

/** The button that adds to it. */
export const AddNextItem = ({ subscription }: NextItemsProps) => (
  <div className="row">
    <FrameDialogButton small dialog={<NextItemDialog subscription={subscription} />}>
      Add an item…
    </FrameDialogButton>
  </div>
);

/** The same as a list: Stripe has it, so it is read when it is shown. */
export function NextItems({ subscription }: NextItemsProps) {
  const query = useQuery(nextItemsQuery(useProject(), subscription.id));
  if (!query.data) return <Loading query={query} lines={1} />;
  if (query.data.length === 0) return <p className="muted">Nothing comes besides what the plan costs.</p>;
  return (
    <ul className="stack-s">
      {query.data.map(item => (
        <li key={item.id} className="spread">
          <span className="grow">
            <bdi>{itemText(item)}</bdi> <span className="num muted">{formatMoney(item.amount, item.currency)}</span>{' '}
            {item.proration && <Badge>Change of plan</Badge>}
          </span>
          {/* What a change of plan has left over is taken back with the change. */}
          {!item.proration && (
            <FrameDialogButton small aria-label={`Take back ${itemText(item)}`} dialog={<TakeBackDialog item={item} />}>
              Take back…
            </FrameDialogButton>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What an item bills: `2 × Setup`. */
const itemText = ({ description, quantity, proration }: InvoiceItem): string =>
  `${quantity !== null && quantity > 1 && !proration ? `${quantity} × ` : ''}${description ?? 'Without description'}`;

/** Takes an item off the next invoice, once that is confirmed. */
function TakeBackDialog({ item }: { readonly item: InvoiceItem }) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Take the item back"
      action="Take it back"
      write={() => billing.subscriptions.deleteInvoiceItem(item.subscriptionId, item.id)}
      stale={[key('invoices')]}
      done="The item is taken back."
    >
      The next invoice comes without <bdi>{itemText(item)}</bdi>, {formatMoney(item.amount, item.currency)}.
    </ConfirmWrite>
  );
}
