import type { Invoice } from '@billing/client';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { useOnce } from '#resource/use-once.ts';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { formatMoney } from '#ui/money.ts';
import { CustomerName } from '../customers/customer-name.tsx';

interface ChangeWords {
  /** What the dialog asks, about the invoice by its name. */
  readonly title: (name: string) => string;
  readonly action: string;
  readonly done: string;
  readonly isHarmless?: boolean;
  /** What follows from it, for a customer who owes an amount. */
  readonly consequence: (customer: ReactNode, owed: string) => ReactNode;
}

/** What can be made of an open invoice, by the method that makes it. */
const CHANGES = {
  void: {
    title: name => `Void ${name}`,
    action: 'Void the invoice',
    done: 'The invoice is void.',
    consequence: (customer, owed) => (
      <>
        {customer} will no longer owe {owed}: nobody can pay the invoice any more, and Stripe stops trying. A
        subscription goes on and bills its next period; cancel it separately. Voiding cannot be undone.
      </>
    ),
  },
  markUncollectible: {
    title: name => `Mark ${name} as uncollectible`,
    action: 'Mark as uncollectible',
    done: 'The invoice is marked as uncollectible.',
    consequence: (customer, owed) => (
      <>
        The {owed} that {customer} owes count as a bad debt, and Stripe stops trying to collect them. The customer can
        still pay on the invoice’s page, and you can still void it.
      </>
    ),
  },
  markPaid: {
    title: name => `Mark ${name} as paid`,
    action: 'Mark as paid',
    done: 'The invoice is marked as paid.',
    consequence: (customer, owed) => (
      <>
        {customer} has paid {owed} elsewhere, for example by bank transfer. Stripe charges nothing, and stops trying.
        This cannot be undone.
      </>
    ),
  },
  send: {
    title: name => `Send ${name} again`,
    action: 'Send it again',
    done: 'The invoice is sent again.',
    isHarmless: true,
    consequence: (customer, owed) => (
      <>
        Stripe mails the invoice to {customer} once more, with the link with which they pay {owed}.
      </>
    ),
  },
} as const satisfies Readonly<Record<string, ChangeWords>>;

interface ChangeDialogProps {
  readonly invoice: Invoice;
  readonly change: keyof typeof CHANGES;
}

/** Changes an open invoice, once that is confirmed. */
export function ChangeDialog({ invoice, change }: ChangeDialogProps) {
  const { billing, key } = useProject();
  const once = useOnce();
  const { title, consequence, ...words }: ChangeWords = CHANGES[change];
  const { id, number, customerId, amountRemaining, currency } = invoice;
  return (
    <ConfirmWrite
      {...words}
      title={title(number ? `invoice ${number}` : 'the invoice')}
      write={() => once(change, options => billing.invoices[change](id, options))}
      stale={[key()]}
    >
      <p>{consequence(<CustomerName id={customerId} />, formatMoney(amountRemaining, currency))}</p>
    </ConfirmWrite>
  );
}
