import type { Invoice, Payment } from '@billing/client';
import { type ReactNode, useState } from 'react';
import { useProject } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { DialogButton } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { Icon, type IconName } from '#ui/icon.tsx';
import { formatMoney } from '#ui/money.ts';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { CustomerName } from '../customers/customer-name.tsx';
import { retriedOf, RetryDialog } from './retry-dialog.tsx';

interface InvoiceActionsProps {
  readonly invoice: Invoice;
  /** On the invoice's own page, which has room for every action in words. */
  readonly all?: boolean;
  /** The newest payment for it that failed, where one is known. */
  readonly failed?: Payment | undefined;
}

/** Opens what there is of an invoice; collects, voids or gives up one that is not paid. */
export function InvoiceActions({ invoice, all = false, failed }: InvoiceActionsProps) {
  const { status } = invoice;
  return (
    <span className="row">
      {all ? <OpenInStripe id={invoice.processorInvoiceId} /> : <InvoiceLinks invoice={invoice} />}
      {all && status === 'open' && (
        <DialogButton dialog={<RetryDialog {...retriedOf(invoice, failed)} />}>Retry…</DialogButton>
      )}
      {status === 'open' && (
        <DialogButton small={!all} dialog={<ChangeDialog invoice={invoice} change="uncollectible" />}>
          Uncollectible…
        </DialogButton>
      )}
      {(status === 'open' || status === 'uncollectible') && (
        <DialogButton small={!all} dialog={<ChangeDialog invoice={invoice} change="void" />}>
          Void…
        </DialogButton>
      )}
    </span>
  );
}

interface ChangeDialogProps {
  readonly invoice: Invoice;
  readonly change: 'void' | 'uncollectible';
}

function ChangeDialog({ invoice, change }: ChangeDialogProps) {
  const { billing, key } = useProject();
  // Sent again because its response was lost, it is the same change.
  const [idempotencyKey] = useState(() => randomHex(32));
  const name = invoice.number ? `invoice ${invoice.number}` : 'the invoice';
  const isVoid = change === 'void';
  const customer = <CustomerName id={invoice.customerId} />;
  const owed = formatMoney(invoice.amountRemaining, invoice.currency);
  return (
    <ConfirmWrite
      title={isVoid ? `Void ${name}` : `Mark ${name} as uncollectible`}
      action={isVoid ? 'Void the invoice' : 'Mark as uncollectible'}
      write={() => billing.invoices[isVoid ? 'void' : 'markUncollectible'](invoice.id, { idempotencyKey })}
      stale={[key()]}
      done={isVoid ? 'The invoice is void.' : 'The invoice is marked as uncollectible.'}
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
    </ConfirmWrite>
  );
}

interface InvoiceLinksProps {
  readonly invoice: Invoice;
  /** Where there is room; the invoice's page has its link to the dashboard elsewhere. */
  readonly inWords?: boolean;
}

/**
 * Opens an invoice's page, on which its customer pays, its PDF, and its page in Stripe's dashboard. The first two come from the
 * processor; only web pages are linked.
 */
export function InvoiceLinks({ invoice, inWords = false }: InvoiceLinksProps) {
  const name = invoice.number ?? '';
  return (
    <>
      <FileLink
        href={invoice.hostedInvoiceUrl}
        icon="invoices"
        label={`Invoice ${name} at Stripe`}
        shown={inWords && 'Page at Stripe'}
      />
      <FileLink
        href={invoice.invoicePdfUrl}
        icon="download"
        label={`Invoice ${name} as PDF`}
        shown={inWords && 'PDF'}
      />
      {!inWords && <OpenInStripe id={invoice.processorInvoiceId} what={`invoice ${name}`} />}
    </>
  );
}

interface FileLinkProps {
  readonly href: string | null;
  readonly icon: IconName;
  readonly label: string;
  /** Its words; without them it is the icon alone. */
  readonly shown: string | false;
}

function FileLink({ href, icon, label, shown }: FileLinkProps): ReactNode {
  if (href === null || !/^https?:\/\//.test(href)) return null;
  const alone = shown ? { className: 'button small' } : { 'aria-label': label, title: label };
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" {...alone}>
      <Icon name={icon} />
      {shown}
    </a>
  );
}
