import type { Coupon, CouponCreate } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { problemsOf } from '#api/failure.ts';
import { useProject, useProjectDetails } from '#api/project.ts';
import { productsQuery } from '#api/queries.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Options, SelectField, TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { MoneyFields, moneyOf } from '#ui/money-fields.tsx';
import { countOf, LimitFields, timeOf } from './limit-fields.tsx';
import { DURATIONS } from './coupon-words.ts';

const FIELDS = [
  'name',
  'percentOff',
  'amountOff',
  'currency',
  'durationInMonths',
  'productIds',
  'maxRedemptions',
  'redeemBy',
] as const;

/** Creates a coupon. */
export function CouponDialog({ onClose }: { readonly onClose: () => void }) {
  const scope = useProject();
  const openPage = useOpenPage();
  const { baseCurrency } = useProjectDetails();
  const [isPercent, setIsPercent] = useState(true);
  const [duration, setDuration] = useState<string>('once');
  const create = useWrite({
    write: async (fields: FormData) => scope.billing.coupons.create(readCoupon(fields)),
    stale: [scope.key('coupons')],
    done: 'The coupon is created, here and in Stripe. Give it a promotion code.',
    onDone: coupon => {
      onClose();
      openPage(`coupons/${coupon.id}`);
    },
  });
  const problems = problemsOf(create.error, FIELDS);
  const { of } = problems;
  return (
    <FormDialog
      title="New coupon"
      lead={<p className="muted">What it takes off, and for how long, never changes.</p>}
      action="Create the coupon"
      write={create}
      problems={problems}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        maxLength={40}
        required
        hint="Shown to customers, on invoices too."
        problem={of.name}
      />
      <SelectField
        label="It takes off"
        value={isPercent ? 'percent' : 'amount'}
        onChange={event => setIsPercent(event.target.value === 'percent')}
      >
        <option value="percent">A percentage</option>
        <option value="amount">An amount</option>
      </SelectField>
      {isPercent ? (
        <TextField
          label="Percent"
          name="percent"
          type="number"
          min={0.01}
          max={100}
          step={0.01}
          required
          problem={of.percentOff}
        />
      ) : (
        <MoneyFields
          label="Amount"
          currency={baseCurrency}
          problems={{ amount: of.amountOff, currency: of.currency }}
        />
      )}
      <div className="form-grid">
        <SelectField label="For" name="duration" value={duration} onChange={event => setDuration(event.target.value)}>
          <Options of={DURATIONS} />
        </SelectField>
        {duration === 'repeating' && (
          <TextField
            label="Months"
            name="months"
            type="number"
            min={1}
            max={120}
            required
            defaultValue={3}
            problem={of.durationInMonths}
          />
        )}
      </div>
      <ProductChoice problem={of.productIds} />
      <LimitFields end="Until" problems={{ maxRedemptions: of.maxRedemptions, end: of.redeemBy }} />
    </FormDialog>
  );
}

/** The products that a coupon takes something off: all of them, unless some are chosen. */
function ProductChoice({ problem }: { readonly problem: string | undefined }) {
  const { data: products = [] } = useQuery(productsQuery(useProject()));
  const active = products.filter(({ isActive }) => isActive);
  if (active.length === 0) return null;
  return (
    <fieldset className="field">
      <legend>Only for some products</legend>
      <details className="more">
        <summary>All, unless you choose some</summary>
        <div className="checks">
          {active.map(({ id, name }) => (
            <label key={id} className="check">
              <input type="checkbox" name="product" value={id} />
              <bdi>{name}</bdi>
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
  const products = fields.getAll('product').map(String);
  return {
    name: textOf(fields, 'name'),
    ...readOff(fields),
    ...(duration === 'repeating' ? { duration, durationInMonths: countOf(fields, 'months') ?? 1 } : { duration }),
    ...(products.length > 0 && { productIds: products }),
    maxRedemptions: countOf(fields, 'maxRedemptions'),
    redeemBy: timeOf(fields, 'end'),
  };
}

function readOff(fields: FormData) {
  if (fields.has('percent')) return { percentOff: Number(textOf(fields, 'percent')) };
  const { amount: amountOff, currency } = moneyOf(fields);
  return { amountOff, currency };
}
