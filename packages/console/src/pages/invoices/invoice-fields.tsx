import { useState } from 'react';
import { useProjectDetails } from '#api/project.ts';
import { randomHex } from '#api/random-hex.ts';
import { Button } from '#ui/button.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { Options, PromotionCodeField, SelectField, TextAreaField, TextField } from '#ui/field.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';
import {
  COLLECTIONS,
  currencyOf,
  FAILURES,
  MAX_DAYS_UNTIL_DUE,
  MAX_LINES,
  type InvoiceForm,
  type LineRow,
  type TaxChoice,
} from './invoice-form.ts';
import { LineFields } from './line-fields.tsx';
import { newLine, type Billable } from './line-form.ts';

interface InvoiceFieldsProps {
  readonly form: InvoiceForm;
  readonly billable: Billable;
  readonly onChange: (form: InvoiceForm) => void;
  /** Whether the reader chooses the customer. */
  readonly choosesCustomer: boolean;
  /** What is wrong with the promotion code. */
  readonly codeProblem: string | undefined;
}

/** The fields of a new invoice. */
export function InvoiceFields({ form, billable, onChange, choosesCustomer, codeProblem }: InvoiceFieldsProps) {
  const set = (changed: Partial<InvoiceForm>) => onChange({ ...form, ...changed });
  return (
    <>
      {choosesCustomer && (
        <CustomerSelect
          label="Customer"
          none="Choose the customer"
          required
          onChange={customerId => set({ customerId })}
        />
      )}
      <Lines form={form} billable={billable} set={set} />
      <CollectionFields form={form} set={set} />
      <PromotionCodeField
        value={form.promotionCode}
        onChange={event => set({ promotionCode: event.target.value })}
        hint="Without one, the discount that the customer has counts."
        problem={codeProblem}
      />
      <label className="check">
        <input type="checkbox" checked={form.isDraft} onChange={event => set({ isDraft: event.target.checked })} />
        Keep it a draft, and charge or send it later
      </label>
      <PrintedFields form={form} set={set} />
    </>
  );
}

interface PartProps {
  readonly form: InvoiceForm;
  readonly set: (changed: Partial<InvoiceForm>) => void;
}

/** What is billed, and in which currency where no price says it. */
function Lines({ form, billable, set }: PartProps & Pick<InvoiceFieldsProps, 'billable'>) {
  const { lines, currency } = form;
  const setLine = (changed: LineRow) => set({ lines: lines.map(row => (row.key === changed.key ? changed : row)) });
  return (
    <>
      {lines.map((row, at) => (
        <fieldset key={row.key} className="stack-s">
          <legend className="row">
            {lines.length === 1 ? 'What is billed' : `Line ${at + 1}`}
            {lines.length > 1 && (
              <Button
                small
                kind="quiet"
                aria-label={`Remove line ${at + 1}`}
                onClick={() => set({ lines: lines.filter(({ key }) => key !== row.key) })}
              >
                Remove
              </Button>
            )}
          </legend>
          <LineFields
            line={row}
            billable={billable}
            currency={currencyOf(form, billable.prices)}
            onChange={line => setLine({ ...row, ...line })}
          />
        </fieldset>
      ))}
      {lines.length < MAX_LINES && (
        <div className="row">
          <Button
            small
            icon="plus"
            onClick={() => set({ lines: [...lines, { key: randomHex(16), ...newLine(billable) }] })}
          >
            Add a line
          </Button>
        </div>
      )}
      {lines.every(({ kind }) => kind !== 'price') && (
        <CurrencySelect label="Currency" value={currency} onChange={chosen => set({ currency: chosen })} />
      )}
    </>
  );
}

/** How the invoice is collected, and what follows from that. */
function CollectionFields({ form: { collect, daysUntilDue, onFailure }, set }: PartProps) {
  return (
    <div className="form-grid">
      <SelectField
        label="Collect"
        value={collect}
        hint={collect === 'saved' ? 'To the saved payment method.' : 'Stripe mails it.'}
        onChange={event => set({ collect: event.target.value as InvoiceForm['collect'] })} // its options
      >
        <Options of={COLLECTIONS} />
      </SelectField>
      {collect === 'invoice' ? (
        <TextField
          label="Due in days"
          type="number"
          min={0}
          max={MAX_DAYS_UNTIL_DUE}
          required
          value={daysUntilDue}
          onChange={event => set({ daysUntilDue: event.target.value })}
        />
      ) : (
        <SelectField
          label="If the payment fails"
          value={onFailure}
          hint={onFailure === 'keep' && 'Stripe tries again, and the customer can pay.'}
          onChange={event => set({ onFailure: event.target.value as InvoiceForm['onFailure'] })} // its options
        >
          <Options of={FAILURES} />
        </SelectField>
      )}
    </div>
  );
}

/** What stands on the invoice besides, and whether it is taxed; few invoices need it. */
function PrintedFields({ form: { purchaseOrder, memo, footer, automaticTax }, set }: PartProps) {
  const { automaticTax: isTaxed } = useProjectDetails();
  const [isOpen, setOpen] = useState(false);
  const taxes: Readonly<Record<TaxChoice, string>> = {
    '': isTaxed ? 'As the project says: Stripe computes it' : 'As the project says: none',
    on: 'Stripe computes it',
    off: 'None',
  };
  return (
    <details className="more" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Order number, memo, footer and tax</summary>
      {isOpen && (
        <div className="stack">
          <div className="form-grid">
            <TextField
              label="Order number"
              value={purchaseOrder}
              maxLength={140}
              onChange={event => set({ purchaseOrder: event.target.value })}
              hint="Printed as “PO number”."
            />
            <SelectField
              label="Tax"
              value={automaticTax}
              onChange={event => set({ automaticTax: event.target.value as TaxChoice })} // its options
            >
              <Options of={taxes} />
            </SelectField>
          </div>
          <TextAreaField
            label="Memo"
            value={memo}
            maxLength={1_000}
            rows={2}
            onChange={event => set({ memo: event.target.value })}
            hint="Printed above the lines."
          />
          <TextAreaField
            label="Footer"
            value={footer}
            maxLength={1_000}
            rows={2}
            onChange={event => set({ footer: event.target.value })}
            hint="Printed at the end."
          />
        </div>
      )}
    </details>
  );
}
