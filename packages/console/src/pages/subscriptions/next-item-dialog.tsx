import type { NewInvoiceLine, Subscription } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { useOnce } from '#resource/use-once.ts';
import { useDialogWrite } from '#resource/write-dialogs.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { LineFields } from '../invoices/line-fields.tsx';
import { billableOf, newLine, readLine, type Billable } from '../invoices/line-form.ts';

const TITLE = 'Bill with the next invoice';

interface NextItemDialogProps {
  readonly subscription: Subscription;
}

/** Adds to the next invoice of a subscription. */
export function NextItemDialog({ subscription }: NextItemDialogProps) {
  const scope = useProject();
  const onClose = useClose();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  if (products.data && prices.data)
    return <ItemDialog subscription={subscription} billable={billableOf(prices.data, products.data)} />;
  return (
    <Dialog title={TITLE} onClose={onClose}>
      <Loading query={products.data ? prices : products} />
    </Dialog>
  );
}

function ItemDialog({ subscription, billable }: NextItemDialogProps & { readonly billable: Billable }) {
  const { billing, key } = useProject();
  const onClose = useClose();
  const once = useOnce();
  const [line, setLine] = useState(() => newLine(billable));
  const currency = subscription.items[0]?.currency ?? 'usd';
  const add = useDialogWrite({
    write: (item: NewInvoiceLine) =>
      once(JSON.stringify(item), options => billing.subscriptions.createInvoiceItem(subscription.id, item, options)),
    stale: [key('invoices')],
    done: 'It comes with the next invoice.',
  });
  const read = readLine(line, currency);
  const mutate = () => {
    if ('line' in read) add.mutate(read.line);
  };
  return (
    <FormDialog
      title={TITLE}
      lead={<p className="muted">It is billed once, in the currency of the subscription; nothing is charged now.</p>}
      action="Add it"
      write={{ ...add, mutate }}
      onClose={onClose}
    >
      <LineFields line={line} billable={billable} currency={currency} onChange={setLine} />
    </FormDialog>
  );
}
