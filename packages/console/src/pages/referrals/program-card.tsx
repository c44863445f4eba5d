import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReferralConfig } from '@billing/client';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CurrencySelect } from '#ui/currency-select.tsx';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { decimalsOf, formatMoney, parseMoney } from '#ui/money.ts';

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

const asTyped = (amount: number, currency: string): string =>
  (amount / 10 ** decimalsOf(currency)).toFixed(decimalsOf(currency));

function ProgramDialog({ config, onClose }: { readonly config: ReferralConfig; readonly onClose: () => void }) {
  const { billing, key } = useProject();
  const save = useWrite({
    write: async (fields: FormData) => {
      const currency = textOf(fields, 'currency');
      const [referrerCreditAmount, refereeCreditAmount] = ['referrer', 'referee'].map(name =>
        parseMoney(textOf(fields, name), currency),
      );
      if (referrerCreditAmount === undefined || refereeCreditAmount === undefined)
        throw new Error('Write both amounts as 5.00.');
      return billing.referrals.updateConfig({
        enabled: fields.has('enabled'),
        referrerCreditAmount,
        refereeCreditAmount,
        currency,
      });
    },
    stale: [key('referral-config')],
    done: 'The program is changed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Referral program"
      action="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={save.mutate}
      onClose={onClose}
    >
      <label className="check">
        <input type="checkbox" name="enabled" defaultChecked={config.enabled} />
        The program runs
      </label>
      <TextField
        label="The referrer gets"
        name="referrer"
        inputMode="decimal"
        required
        defaultValue={asTyped(config.referrerCreditAmount, config.currency)}
      />
      <TextField
        label="The referred customer gets"
        name="referee"
        inputMode="decimal"
        required
        defaultValue={asTyped(config.refereeCreditAmount, config.currency)}
      />
      <CurrencySelect label="Currency" name="currency" defaultValue={config.currency} />
    </FormDialog>
  );
}
