import type { Coupon, CouponCreate } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject, useProjectDetails } from '#api/project.ts';
import { productsQuery } from '#api/queries.ts';
import { choice, control } from '#resource/fields.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { textOf } from '#ui/form.tsx';
import { MoneyFields, moneyOf } from '#ui/money-fields.tsx';
import { KEY_REFUSALS, keyField, keyOf } from '../products/key-field.ts';
import { countOf, limitFields, timeOf } from './limit-fields.ts';
import { DURATIONS } from './coupon-words.ts';

const OFF = { percent: 'A percentage', amount: 'An amount' };

/** Creates a coupon. */
export function CouponDialog() {
  const { billing, key } = useProject();
  const { baseCurrency } = useProjectDetails();
  const [off, setOff] = useState('percent');
  const [duration, setDuration] = useState<string>('once');
  return (
    <WriteDialog
      title="New coupon"
      lead="What it takes off, and for how long, never changes."
      action="Create the coupon"
      write={async fields => billing.coupons.create(readCoupon(fields))}
      stale={[key('coupons')]}
      done="The coupon is created, here and in Stripe. Give it a promotion code."
      refusals={KEY_REFUSALS}
      opens={({ id }) => `coupons/${id}`}
      fields={[
        { name: 'name', label: 'Name', maxLength: 40, required: true, hint: 'Shown to customers, on invoices too.' },
        choice({
          name: 'off',
          label: 'It takes off',
          options: OFF,
          value: off,
          onChange: event => setOff(event.target.value),
        }),
        off === 'percent'
          ? {
              name: 'percentOff',
              label: 'Percent',
              type: 'number',
              min: 0.01,
              max: 100,
              step: 0.01,
              required: true,
            }
          : {
              kind: 'other',
              names: ['amountOff', 'currency'],
              show: ({ amountOff: amount, currency }) => (
                <MoneyFields label="Amount" currency={baseCurrency} problems={{ amount, currency }} />
              ),
            },
        {
          kind: 'row',
          of: [
            choice({
              name: 'duration',
              label: 'For',
              options: DURATIONS,
              value: duration,
              onChange: event => setDuration(event.target.value),
            }),
            duration === 'repeating' && {
              name: 'durationInMonths',
              label: 'Months',
              type: 'number',
              min: 1,
              max: 120,
              required: true,
              defaultValue: 3,
            },
          ],
        },
        control(ProductChoice, { name: 'productIds' }),
        limitFields('redeemBy'),
        keyField(null),
      ]}
    />
  );
}

/** The products that a coupon takes something off: all of them, unless some are chosen. */
function ProductChoice({ name, problem }: { readonly name: string; readonly problem?: string | undefined }) {
  const { data: products = [] } = useQuery(productsQuery(useProject()));
  const active = products.filter(({ isActive }) => isActive);
  if (active.length === 0) return null;
  return (
    <fieldset className="field">
      <legend>Only for some products</legend>
      <details className="more">
        <summary>All, unless you choose some</summary>
        <div className="checks">
          {active.map(({ id, name: product }) => (
            <label key={id} className="check">
              <input type="checkbox" name={name} value={id} />
              <bdi>{product}</bdi>
            </label>
          ))}
        </div>
      </details>
      {problem && (
        <div className="field-note">
          <span className="problem" role="alert">
            {problem}
          </span>
        </div>
      )}
    </fieldset>
  );
}

/** @throws Error when the amount is none, which its field does not let through */
function readCoupon(fields: FormData): CouponCreate {
  const duration = textOf(fields, 'duration') as Coupon['duration']; // the options of the field
  const products = fields.getAll('productIds').map(String);
  return {
    name: textOf(fields, 'name'),
    ...keyOf(fields),
    ...readOff(fields),
    ...(duration === 'repeating'
      ? { duration, durationInMonths: countOf(fields, 'durationInMonths') ?? 1 }
      : { duration }),
    ...(products.length > 0 && { productIds: products }),
    maxRedemptions: countOf(fields, 'maxRedemptions'),
    redeemBy: timeOf(fields, 'redeemBy'),
  };
}

function readOff(fields: FormData) {
  if (fields.has('percentOff')) return { percentOff: Number(textOf(fields, 'percentOff')) };
  const { amount: amountOff, currency } = moneyOf(fields);
  return { amountOff, currency };
}
