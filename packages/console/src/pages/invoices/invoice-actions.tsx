import type { Invoice, Payment } from '@billing/client';
import type { ReactNode } from 'react';
import { DialogButton, FrameDialogButton } from '#resource/dialog-button.tsx';
import { Icon, type IconName } from '#ui/icon.tsx';
import { OpenInStripe } from '#ui/open-in-stripe.tsx';
import { ChangeDialog } from './change-dialog.tsx';
import { DeleteDraftDialog, FinalizeDialog } from './draft-dialogs.tsx';
import { retriedOf, RetryDialog } from './retry-dialog.tsx';

interface InvoiceActionsProps {
  readonly invoice: Invoice;
  /** On the invoice's own page, which has room for every action in words. */
  readonly all?: boolean;
  /** The newest payment for it that failed, where one is known. */
  readonly failed?: Payment | undefined;
}

/** Opens what there is of an invoice, and offers what can be made of it: of a draft, and of one that is not paid. */
export function InvoiceActions({ invoice, all = false, failed }: InvoiceActionsProps) {
  const isDraft = invoice.status === 'draft' && invoice.subscriptionId === null;
  return (
    <span className="row">
      {all ? <OpenInStripe id={invoice.processorInvoiceId} /> : <InvoiceLinks invoice={invoice} />}
      {all && invoice.status === 'open' && (
        <DialogButton dialog={<RetryDialog {...retriedOf(invoice, failed)} />}>Retry…</DialogButton>
      )}
      {isDraft && (
        <>
          {/* It says what became of the payment, also once the invoice is no draft any more. */}
          <FrameDialogButton small={!all} dialog={<FinalizeDialog invoice={invoice} />}>
            Finalize…
          </FrameDialogButton>
          <DialogButton small={!all} dialog={<DeleteDraftDialog invoice={invoice} isOnPage={all} />}>
            Delete…
          </DialogButton>
        </>
      )}
      {changesOf(invoice, all).map(change => (
        <DialogButton key={change} small={!all} dialog={<ChangeDialog invoice={invoice} change={change} />}>
          {CHANGES[change]}
        </DialogButton>
      ))}
    </span>
  );
}

const CHANGES = { send: 'Resend…', markPaid: 'Mark paid…', markUncollectible: 'Uncollectible…', void: 'Void…' };

/** Returns what can be made of an invoice that is not paid; in a list, which has little room, what is done the most. */
function changesOf({ status, dueDate }: Invoice, all: boolean): readonly (keyof typeof CHANGES)[] {
  if (status === 'uncollectible') return all ? ['markPaid', 'void'] : ['void'];
  if (status !== 'open') return [];
  // Only what is sent has a due date.
  if (dueDate === null) return all ? ['markPaid', 'markUncollectible', 'void'] : ['markUncollectible', 'void'];
  return all ? ['send', 'markPaid', 'markUncollectible', 'void'] : ['send', 'markPaid'];
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
