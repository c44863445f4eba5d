import type { PromotionCodeCreate } from '@billing/client';
import { problemsOf } from '#api/failure.ts';
import { useProject, useProjectDetails } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { MoneyFields, moneyOf } from '#ui/money-fields.tsx';
import { CustomerSelect } from '../customers/customer-select.tsx';
import { countOf, LimitFields, timeOf } from './limit-fields.tsx';

const FIELDS = ['code', 'customerId', 'maxRedemptions', 'expiresAt', 'minimumAmount', 'currency'] as const;

/** Creates a promotion code for a coupon. */
export function PromotionCodeDialog({
  couponId,
  onClose,
}: {
  readonly couponId: string;
  readonly onClose: () => void;
}) {
  const { billing, key } = useProject();
  const { baseCurrency } = useProjectDetails();
  const create = useWrite({
    write: async (fields: FormData) => billing.promotionCodes.create(readCode(fields, couponId)),
    stale: [key('promotion-codes')],
    done: ({ code }) => `Customers can redeem ${code}.`,
    onDone: onClose,
  });
  const problems = problemsOf(create.error, FIELDS, { promotion_code_taken: 'code' });
  const { of } = problems;
  return (
    <FormDialog
      title="New promotion code"
      action="Create the code"
      write={create}
      problems={problems}
      onClose={onClose}
    >
      <TextField
        label="Code"
        name="code"
        maxLength={500}
        pattern="[A-Za-z0-9\-]+"
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        title="Letters of a-z, digits and hyphens"
        placeholder="SPRING20"
        hint="Customers enter it in any case. Stripe chooses one unless given."
        problem={of.code}
      />
      <CustomerSelect label="Only for" name="customer" none="Everybody" problem={of.customerId} />
      <label className="check">
        <input type="checkbox" name="firstTimeOnly" />
        Only for customers who have paid nothing before
      </label>
      <LimitFields end="Until" problems={{ maxRedemptions: of.maxRedemptions, end: of.expiresAt }} />
      <MoneyFields
        label="From an amount of"
        currency={baseCurrency}
        required={false}
        problems={{ amount: of.minimumAmount, currency: of.currency }}
      />
    </FormDialog>
  );
}

function readCode(fields: FormData, couponId: string): PromotionCodeCreate {
  const minimum = textOf(fields, 'amount') === '' ? undefined : moneyOf(fields);
  return {
    couponId,
    code: textOf(fields, 'code') || undefined,
    customerId: textOf(fields, 'customer') || undefined,
    maxRedemptions: countOf(fields, 'maxRedemptions'),
    expiresAt: timeOf(fields, 'end'),
    firstTimeOnly: fields.has('firstTimeOnly'),
    ...(minimum && { minimumAmount: minimum.amount, currency: minimum.currency }),
  };
}
