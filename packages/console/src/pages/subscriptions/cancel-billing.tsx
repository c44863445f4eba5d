import type { CancellationPreview, Subscription, SubscriptionCancel } from '@billing/client';
import { useProject } from '#api/project.ts';
import { CostSection, Preview, PreviewedLines } from '#resource/preview.tsx';
import { usePreview } from '#resource/use-preview.ts';
import { Options, SelectField } from '#ui/field.tsx';
import { formatMoney } from '#ui/money.ts';
import { toShownLine } from './due-details.tsx';

/** What becomes of what is paid and owed when a subscription ends now. */
export interface CancelBilling {
  readonly prorate: boolean;
  readonly invoiceNow: boolean;
  readonly openInvoices: NonNullable<SubscriptionCancel['openInvoices']>;
}

export const NOTHING_BILLED: CancelBilling = { prorate: false, invoiceNow: false, openInvoices: 'keep' };

const OPEN_INVOICES = {
  keep: 'They stay payable; Stripe stops collecting them',
  void: 'They are voided',
} as const;

/** What the credit means for invoices that are not paid. */
const CREDIT_BESIDE: Readonly<Record<CancelBilling['openInvoices'], string>> = {
  keep: 'The credit pays none of them.',
  void: 'What they bill of the unused part is credited too, although it was never paid.',
};

/** The preview of a cancellation now; none unless something is credited or billed. */
export function useCancelPreview({ id }: Pick<Subscription, 'id'>, { prorate, invoiceNow }: CancelBilling) {
  const { billing, key } = useProject();
  return usePreview({
    queryKey: key('cancel-preview', id),
    wanted: prorate || invoiceNow ? { prorate, invoiceNow } : undefined,
    read: (wanted, signal) => billing.subscriptions.previewCancel(id, wanted, { signal }),
  });
}

interface CancelBillingProps {
  readonly billing: CancelBilling;
  readonly onChange: (billing: CancelBilling) => void;
  readonly preview: ReturnType<typeof useCancelPreview>;
}

/** Whether the unused part is credited, what waits is billed and open invoices are voided, with what that comes to. */
export function CancelBillingFields({ billing, onChange, preview }: CancelBillingProps) {
  const { prorate, invoiceNow, openInvoices } = billing;
  return (
    <>
      <div className="stack-s">
        <label className="check">
          <input
            type="checkbox"
            checked={prorate}
            // The credit is of use only once it is in the balance.
            onChange={({ target: { checked } }) => onChange({ ...billing, prorate: checked, invoiceNow: checked })}
          />
          Credit the unused part of the period
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={invoiceNow}
            onChange={event => onChange({ ...billing, invoiceNow: event.target.checked })}
          />
          Make a final invoice now, of all that waits for one
        </label>
      </div>
      {(prorate || invoiceNow) && (
        <CostSection>
          <Preview query={preview}>{data => <CreditDetails preview={data} isFinal={invoiceNow} />}</Preview>
        </CostSection>
      )}
      <SelectField
        label="Invoices that are open or drafts"
        value={openInvoices}
        hint={prorate && CREDIT_BESIDE[openInvoices]}
        onChange={event => onChange({ ...billing, openInvoices: event.target.value as CancelBilling['openInvoices'] })} // its options
      >
        <Options of={OPEN_INVOICES} />
      </SelectField>
    </>
  );
}

interface CreditDetailsProps {
  readonly preview: CancellationPreview;
  /** Whether an invoice is made, which puts the credit into the balance. */
  readonly isFinal: boolean;
}

function CreditDetails({ preview: { currency, credit, amountDue, lines }, isFinal }: CreditDetailsProps) {
  const money = (amount: number) => <span className="num">{formatMoney(amount, currency)}</span>;
  return (
    <>
      <p role="status">
        <strong>
          {amountDue > 0 ? (
            <>About {money(amountDue)} is charged now.</>
          ) : credit === 0 ? (
            'Nothing is credited or charged.'
          ) : (
            <>
              About {money(credit)} is credited
              {isFinal ? ' to the balance of the customer' : ', on what waits for an invoice'}.
            </>
          )}
        </strong>{' '}
        {credit > 0 && 'The unused part shrinks from second to second.'}
      </p>
      <PreviewedLines lines={lines.map(toShownLine)} money={money} />
    </>
  );
}
