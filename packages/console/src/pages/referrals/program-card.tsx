import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReferralConfig } from '@billing/client';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { control } from '#resource/fields.tsx';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { AmountField, amountOf } from '#ui/amount-field.tsx';
import { Badge } from '#ui/badge.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { formatMoney } from '#ui/money.ts';

/** What the program pays, and whether it runs. */
export function ProgramCard() {
  const { billing, key } = useProject();
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
            <DialogButton small dialog={<ProgramDialog config={config} />}>
              Change
            </DialogButton>
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
    </Card>
  );
}

const rewardOf = (amount: number, currency: string): string =>
  amount === 0 ? 'nothing' : formatMoney(amount, currency);

function ProgramDialog({ config }: { readonly config: ReferralConfig }) {
  const { billing, key } = useProject();
  const [currency, setCurrency] = useState(config.currency);
  const amount = (name: 'referrerCreditAmount' | 'refereeCreditAmount', label: string) =>
    control(AmountField, { name, label, currency, defaultAmount: config[name] });
  return (
    <WriteDialog
      title="Referral program"
      action="Save"
      write={async fields =>
        billing.referrals.updateConfig({
          enabled: fields.has('enabled'),
          referrerCreditAmount: amountOf(fields, 'referrerCreditAmount', currency) ?? 0,
          refereeCreditAmount: amountOf(fields, 'refereeCreditAmount', currency) ?? 0,
          currency,
        })
      }
      stale={[key('referral-config')]}
      done="The program is changed."
      values={config}
      fields={[
        { kind: 'check', name: 'enabled', label: 'The program runs' },
        amount('referrerCreditAmount', 'The referrer gets'),
        amount('refereeCreditAmount', 'The referred customer gets'),
        control(CurrencySelect, { name: 'currency', label: 'Currency', value: currency, onChange: setCurrency }),
      ]}
    />
  );
}
