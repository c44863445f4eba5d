import type { BillingDetails } from '@billing/client';
import { useProject } from '#api/project.ts';
import { billingDetailsQuery } from '#api/queries.ts';
import { choice, type Fields } from '#resource/fields.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { PairFields } from '#ui/pair-fields.tsx';
import { changedDetails, INVOICE_FIELD_INPUTS, TAX_ID_INPUTS } from './billing-form.ts';

export const TAX_EXEMPTIONS: Readonly<Record<BillingDetails['taxExempt'], string>> = {
  none: 'Taxed as address and tax ids say',
  exempt: 'Never taxed',
  reverse: 'Owes the tax itself (reverse charge)',
};

const MAX_TAX_IDS = 5;
const MAX_INVOICE_FIELDS = 3;

/** The kinds that most businesses have. https://docs.stripe.com/invoicing/customer/tax-ids */
const COMMON_KINDS = {
  eu_vat: 'VAT number of the European Union',
  gb_vat: 'VAT number of the United Kingdom',
  ch_vat: 'VAT number of Switzerland',
  no_vat: 'VAT number of Norway',
  us_ein: 'EIN of the United States',
  ca_gst_hst: 'GST/HST number of Canada',
  br_cnpj: 'CNPJ of Brazil',
  mx_rfc: 'RFC of Mexico',
  au_abn: 'ABN of Australia',
  nz_gst: 'GST number of New Zealand',
  in_gst: 'GSTIN of India',
  sg_gst: 'GST number of Singapore',
  jp_trn: 'Registration number of Japan',
  ae_trn: 'TRN of the United Arab Emirates',
  za_vat: 'VAT number of South Africa',
};

/** The service names a tax id by its place. */
const taxIdName = (index: number) => `taxIds.${index}`;

function fieldsFor({ address, taxIds, taxExempt, invoiceFields }: BillingDetails): Fields {
  const line = (
    name: keyof NonNullable<BillingDetails['address']>,
    label: string,
    maxLength: number,
    hint?: string,
  ) => ({
    name: `address.${name}`,
    label,
    maxLength,
    hint,
    defaultValue: address?.[name] ?? '',
  });
  return [
    { name: 'businessName', label: 'Business name', maxLength: 150, hint: 'Printed on invoices in place of the name.' },
    line('line1', 'Street and number', 500),
    line('line2', 'Second line', 500),
    { kind: 'row', of: [line('postalCode', 'Postal code', 50), line('city', 'City', 200)] },
    {
      kind: 'row',
      of: [line('state', 'State or province', 200), line('country', 'Country', 2, 'Two letters, such as DE.')],
    },
    { name: 'phone', label: 'Phone', maxLength: 20 },
    {
      kind: 'other',
      names: [...Array.from({ length: MAX_TAX_IDS }, (_, index) => taxIdName(index)), 'taxIds'],
      show: problems => (
        <PairFields
          legend="Tax ids"
          names={TAX_ID_INPUTS}
          titles={['Kind', 'Number']}
          maxLengths={[30, 100]}
          pairs={taxIds.map(({ type, value }) => [type, value])}
          add="Add a tax id"
          max={MAX_TAX_IDS}
          required
          suggested={COMMON_KINDS}
          hint="The kind as Stripe names it, such as eu_vat."
          problem={problems['taxIds']}
          problemOf={index => problems[taxIdName(index)]}
        />
      ),
    },
    choice({ label: 'Tax', name: 'taxExempt', options: TAX_EXEMPTIONS, defaultValue: taxExempt }),
    { name: 'purchaseOrder', label: 'Order number', maxLength: 140, hint: 'Printed on invoices as “PO number”.' },
    {
      kind: 'other',
      names: ['invoiceFields'],
      show: problems => (
        <PairFields
          legend="Other fields of invoices"
          names={INVOICE_FIELD_INPUTS}
          titles={['Name', 'Text']}
          maxLengths={[40, 140]}
          pairs={invoiceFields.map(({ name, value }) => [name, value])}
          add="Add a field"
          max={MAX_INVOICE_FIELDS}
          required
          problem={problems['invoiceFields']}
        />
      ),
    },
    { name: 'locale', label: 'Language', maxLength: 20, hint: 'Of invoices and mails, such as de or pt-BR.' },
  ];
}

/** Changes who is billed for a customer, and with which tax. */
export function BillingDialog({ details }: { readonly details: BillingDetails }) {
  const scope = useProject();
  const { customerId } = details;
  return (
    <WriteDialog
      title="Edit the billing details"
      action="Save"
      write={fields => scope.billing.billingDetails.update(customerId, changedDetails(fields, details))}
      stale={[billingDetailsQuery(scope, customerId).queryKey, scope.key('subscriptions')]}
      done="The billing details are changed, here and in Stripe."
      refusals={{
        tax_id_invalid: 'taxIds',
        tax_location_invalid: 'address.country',
        invoice_fields_full: 'invoiceFields',
      }}
      values={details}
      fields={fieldsFor(details)}
    />
  );
}
