import type { Invoice } from '@billing/client';
import { useState, type ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { Icon, type IconName } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { CustomerName } from '../customers/customer-name.tsx';

type Change = 'void' | 'uncollectible';

/** Voids an invoice that is not paid, or marks it as uncollectible; nothing for one that is settled. */
export function InvoiceActions({ invoice }: { readonly invoice: Invoice }) {
  const [change, setChange] = useState<Change>();
  const { status } = invoice;
  return (
    <>
      <span className="row">
        {status === 'open' && (
          <Button small onClick={() => setChange('uncollectible')}>
            Uncollectible…
          </Button>
        )}
        {(status === 'open' || status === 'uncollectible') && (
          <Button small onClick={() => setChange('void')}>
            Void…
          </Button>
        )}
      </span>
      {change && <ChangeDialog invoice={invoice} change={change} onClose={() => setChange(undefined)} />}
    </>
  );
}

interface ChangeDialogProps {
  readonly invoice: Invoice;
  readonly change: Change;
  readonly onClose: () => void;
}

function ChangeDialog({ invoice, change, onClose }: ChangeDialogProps) {
  const { billing, key } = useProject();
  // Sent again because its response was lost, it is the same change.
  const [idempotencyKey] = useState(() => randomHex(32));
  const name = invoice.number ? `invoice ${invoice.number}` : 'the invoice';
  const isVoid = change === 'void';
  const write = useWrite({
    write: () =>
      isVoid
        ? billing.invoices.void(invoice.id, { idempotencyKey })
        : billing.invoices.markUncollectible(invoice.id, { idempotencyKey }),
    stale: [key()],
    done: isVoid ? 'The invoice is void.' : 'The invoice is marked as uncollectible.',
    onDone: onClose,
  });
  const customer = <CustomerName id={invoice.customerId} />;
  const owed = formatMoney(invoice.amountRemaining, invoice.currency);
  return (
    <ConfirmDialog
      title={isVoid ? `Void ${name}` : `Mark ${name} as uncollectible`}
      action={isVoid ? 'Void the invoice' : 'Mark as uncollectible'}
      write={write}
      onClose={onClose}
    >
      {isVoid ? (
        <p>
          {customer} will no longer owe {owed}: nobody can pay the invoice any more, and Stripe stops trying. A
          subscription goes on and bills its next period; cancel it separately. Voiding cannot be undone.
        </p>
      ) : (
        <p>
          The {owed} that {customer} owes count as a bad debt, and Stripe stops trying to collect them. The customer can
          still pay on the invoice’s page, and you can still void it.
        </p>
      )}
    </ConfirmDialog>
  );
}

/**
 * Opens an invoice's page, on which its customer pays, its PDF, and its page in Stripe's dashboard. The first two come from the
 * processor; only web pages are linked.
 */
export function InvoiceLinks({ invoice }: { readonly invoice: Invoice }) {
  const name = invoice.number ?? '';
  return (
    <span className="row">
      <IconLink href={invoice.hostedInvoiceUrl} icon="invoices" label={`Invoice ${name} at Stripe`} />
      <IconLink href={invoice.invoicePdfUrl} icon="download" label={`Invoice ${name} as PDF`} />
      <OpenInStripe id={invoice.processorInvoiceId} what={`invoice ${name}`} />
    </span>
  );
}

interface IconLinkProps {
  readonly href: string | null;
  readonly icon: IconName;
  readonly label: string;
}

function IconLink({ href, icon, label }: IconLinkProps): ReactNode {
  if (href === null || !/^https?:\/\//.test(href)) return null;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" aria-label={label} title={label}>
      <Icon name={icon} />
    </a>
  );
}
