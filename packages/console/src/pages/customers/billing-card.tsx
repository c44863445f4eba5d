import type { BillingDetails } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { billingDetailsQuery } from '#api/queries.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { Details } from '#ui/details.tsx';
import { StatusBadge, type StatusText } from '#ui/statuses.tsx';
import { BillingDialog, TAX_EXEMPTIONS } from './billing-dialog.tsx';

type Verification = BillingDetails['taxIds'][number]['verification'];

const VERIFICATION: Readonly<Record<Verification, StatusText>> = {
  pending: { name: 'Being verified', tone: 'accent' },
  verified: { name: 'Verified', tone: 'good' },
  unverified: { name: 'Not in the register', tone: 'bad' },
  unavailable: { name: 'Cannot be verified', tone: 'neutral' },
};

const LOCATION: Readonly<Record<BillingDetails['taxLocation'], string>> = {
  recognized: 'Recognized: Stripe can compute tax.',
  unrecognized: 'Not recognized: Stripe needs a whole address to compute tax.',
  unknown: 'Not known: Stripe has not checked it yet.',
};

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const countryName = (code: string) => (/^[A-Z]{2}$/.test(code) ? COUNTRIES.of(code) : code);

function addressText({ line1, line2, city, state, postalCode, country }: NonNullable<BillingDetails['address']>) {
  const place = [postalCode, city].filter(Boolean).join(' ');
  return [line1, line2, place, state, country && countryName(country)].filter(Boolean).join('\n');
}

/** Who is billed for a customer, read when it is opened: the service may have to read it at Stripe. */
export function BillingCard({ customerId }: { readonly customerId: string }) {
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({ ...billingDetailsQuery(useProject(), customerId), enabled: isOpen });
  return (
    <Card title="Billing details" flush>
      <details className="card-body more" onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>Who is billed, and with which tax</summary>
        {isOpen && <Loading query={query} />}
        {query.data && (
          <div className="stack">
            <BillingRows details={query.data} />
            <div className="row">
              <DialogButton small dialog={<BillingDialog details={query.data} />}>
                Edit the billing details…
              </DialogButton>
            </div>
          </div>
        )}
      </details>
    </Card>
  );
}

function BillingRows({ details }: { readonly details: BillingDetails }) {
  const { businessName, address, phone, taxIds, taxExempt, purchaseOrder, invoiceFields, locale, taxLocation } =
    details;
  return (
    <Details
      narrow
      of={{
        'Business name': businessName && <bdi>{businessName}</bdi>,
        Address: address && <bdi className="pre-line">{addressText(address)}</bdi>,
        'Tax location': LOCATION[taxLocation],
        Phone: phone && <bdi>{phone}</bdi>,
        'Tax ids': taxIds.length > 0 && (
          <ul className="stack-s">
            {taxIds.map(({ type, value, verification }) => (
              <li key={`${type} ${value}`} className="row">
                <code>{type}</code> <bdi>{value}</bdi> <StatusBadge of={VERIFICATION[verification]} />
              </li>
            ))}
          </ul>
        ),
        Tax: TAX_EXEMPTIONS[taxExempt],
        'Order number': purchaseOrder && <bdi>{purchaseOrder}</bdi>,
        'Fields of invoices': invoiceFields.length > 0 && (
          <ul className="stack-s">
            {invoiceFields.map(({ name, value }) => (
              <li key={name}>
                <bdi>{name}</bdi>: <bdi>{value}</bdi>
              </li>
            ))}
          </ul>
        ),
        Language: locale,
      }}
    />
  );
}
