import type { InvoicePreview } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf, PROMOTION_CODE_REFUSALS } from '#api/failure.ts';
import { useProject, useProjectDetails } from '#api/project.ts';
import { pricesQuery, productsQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { useClose } from '#resource/dialog-button.tsx';
import { CostSection, Preview } from '#resource/preview.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { RefusalNotice } from '#ui/form.tsx';
import { formatMoney } from '#ui/money.ts';
import { CustomerName } from '../customers/customer-name.tsx';
import { InvoiceFields } from './invoice-fields.tsx';
import { currencyOf, newInvoiceForm, readInvoiceForm, type InvoiceForm } from './invoice-form.ts';
import { describeRefusal } from './invoice-outcome.ts';
import { dueText, InvoicePreviewDetails } from './invoice-preview.tsx';
import { billableOf, newLine, type Billable } from './line-form.ts';
import { UnpaidDialog } from './unpaid-dialog.tsx';
import { useNewInvoice } from './use-new-invoice.ts';

const TITLE = 'New invoice';

/** Bills something once, with what that costs beside the button; without a customer the reader chooses one. */
export function NewInvoiceDialog({ customerId }: { readonly customerId?: string }) {
  const scope = useProject();
  const onClose = useClose();
  const products = useQuery(productsQuery(scope));
  const prices = useQuery(pricesQuery(scope));
  if (products.data && prices.data)
    return <InvoiceDialog customerId={customerId} billable={billableOf(prices.data, products.data)} />;
  return (
    <Dialog title={TITLE} onClose={onClose}>
      <Loading query={products.data ? prices : products} />
    </Dialog>
  );
}

interface InvoiceDialogProps {
  readonly customerId: string | undefined;
  readonly billable: Billable;
}

function InvoiceDialog({ customerId, billable }: InvoiceDialogProps) {
  const onClose = useClose();
  const { baseCurrency: currency } = useProjectDetails();
  const [form, setForm] = useState(() =>
    newInvoiceForm({ customerId: customerId ?? '', currency, lines: [{ key: 'first', ...newLine(billable) }] }),
  );
  const wanted = readInvoiceForm(form, billable.prices);
  const { preview, write, unpaid } = useNewInvoice('invoice' in wanted ? wanted.invoice : undefined);
  if (unpaid) return <UnpaidDialog invoice={unpaid} />;

  const codeProblem = problemsOf(write.error ?? preview.error, ['promotionCode'], PROMOTION_CODE_REFUSALS).of
    .promotionCode;
  const refusal = describeRefusal(write.error, currencyOf(form, billable.prices));
  return (
    <FormDialog
      title={TITLE}
      lead={
        customerId && (
          <p>
            For <CustomerName id={customerId} />
          </p>
        )
      }
      action={actionOf(form, preview.data)}
      write={write}
      problems={{ rest: codeProblem || refusal ? undefined : write.error }}
      onClose={onClose}
    >
      <InvoiceFields
        form={form}
        billable={billable}
        onChange={setForm}
        choosesCustomer={!customerId}
        codeProblem={codeProblem}
      />
      <CostSection>
        {'missing' in wanted ? (
          <p className="muted">{wanted.missing}</p>
        ) : (
          !codeProblem && (
            <Preview query={preview}>
              {data => <InvoicePreviewDetails preview={data} due={dueText(wanted.invoice)} />}
            </Preview>
          )
        )}
      </CostSection>
      {refusal && <RefusalNotice {...refusal} />}
    </FormDialog>
  );
}

/** What the button does, with the amount. */
function actionOf({ isDraft, collect }: InvoiceForm, preview: InvoicePreview | undefined): string {
  if (isDraft) return 'Create the draft';
  if (!preview || preview.amountDue <= 0) return 'Create the invoice';
  const amount = formatMoney(preview.amountDue, preview.currency);
  return collect === 'saved' ? `Charge ${amount}` : `Send an invoice of ${amount}`;
}
