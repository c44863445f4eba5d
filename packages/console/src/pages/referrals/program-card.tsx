import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReferralConfig } from '@billing/client';
import { problemsOf } from '#api/failure.ts';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { AmountField, amountOf } from '#ui/amount-field.tsx';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { formatMoney } from '#ui/money.ts';

/** What the program pays, and whether it runs. */
export function ProgramCard() {
  const { billing, key } = useProject();
  const [editing, setEditing] = useState(false);
  const query = useQuery({
    queryKey: key('referral-config'),
    queryFn: ({ signal }) => billing.referrals.config({ signal }),
  });
  const { data: config } = query;
  return (
    <Card
      title="Program"
      actions={
        <div className="row">
          {config && <Badge tone={config.enabled ? 'good' : 'neutral'}>{config.enabled ? 'Running' : 'Off'}</Badge>}
          {config && (
            <Button small onClick={() => setEditing(true)}>
              Change
            </Button>
          )}
        </div>
      }
    >
      <Loading query={query} lines={2} />
      {config && (
        <p className="muted">
          Once a referred customer subscribes, the referrer gets{' '}
          {rewardOf(config.referrerCreditAmount, config.currency)} and the referred customer{' '}
          {rewardOf(config.refereeCreditAmount, config.currency)}.
        </p>
      )}
      {editing && config && <ProgramDialog config={config} onClose={() => setEditing(false)} />}
    </Card>
  );
}

const rewardOf = (amount: number, currency: string): string =>
  amount === 0 ? 'nothing' : formatMoney(amount, currency);

function ProgramDialog({ config, onClose }: { readonly config: ReferralConfig; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const [currency, setCurrency] = useState(config.currency);
  const save = useWrite({
    write: async (fields: FormData) =>
      billing.referrals.updateConfig({
        enabled: fields.has('enabled'),
        referrerCreditAmount: amountOf(fields, 'referrer', currency) ?? 0,
        refereeCreditAmount: amountOf(fields, 'referee', currency) ?? 0,
        currency,
      }),
    stale: [key('referral-config')],
    done: 'The program is changed.',
    onDone: onClose,
  });
  const problems = problemsOf(save.error, ['referrerCreditAmount', 'refereeCreditAmount', 'currency']);
  return (
    <FormDialog title="Referral program" action="Save" write={save} problems={problems} onClose={onClose}>
      <label className="check">
        <input type="checkbox" name="enabled" defaultChecked={config.enabled} />
        The program runs
      </label>
      <AmountField
        label="The referrer gets"
        name="referrer"
        currency={currency}
        defaultAmount={config.referrerCreditAmount}
        problem={problems.of.referrerCreditAmount}
      />
      <AmountField
        label="The referred customer gets"
        name="referee"
        currency={currency}
        defaultAmount={config.refereeCreditAmount}
        problem={problems.of.refereeCreditAmount}
      />
      <CurrencySelect
        label="Currency"
        name="currency"
        value={currency}
        onChange={setCurrency}
        problem={problems.of.currency}
      />
    </FormDialog>
  );
}
