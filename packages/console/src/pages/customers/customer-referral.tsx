import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { formatCount } from '#ui/amount.ts';
import { Details } from '#ui/details.tsx';
import { formatMoney } from '#ui/money.ts';
import { CREDIT_STATUS, REFERRAL_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CodeLink, CodeStatus } from '../referrals/code-link.tsx';
import { earnedBy } from '../referrals/earned-by.ts';
import { CustomerLink } from './customer-name.tsx';
import { referralQuery, type CustomerReferrals } from './referral-query.ts';

/** Who referred a customer, whom they referred with their own codes, and what that earned them. */
export function CustomerReferral({ customerId }: { readonly customerId: string }) {
  const { data } = useQuery(referralQuery(useProject(), customerId));
  // Most have none, and then there is nothing to say.
  if (!data || (!data.referral && data.codes.total === 0 && data.credits.total === 0)) return null;
  return (
    <Card title="Referral">
      <Referrals {...data} />
    </Card>
  );
}

function Referrals({ referral, codes, credits, referred, converted }: CustomerReferrals) {
  const ownCodes = codes.items.map(code => (
    <li key={code.code} className="row">
      <CodeLink code={code.code} />
      <CodeStatus code={code} />
    </li>
  ));
  const earned = credits.items.map(credit => (
    <li key={credit.id} className="row">
      <span>
        <span className="num">{formatMoney(credit.amount, credit.currency)}</span> for {earnedBy(credit)}
      </span>
      <StatusBadge of={CREDIT_STATUS[credit.status]} />
    </li>
  ));
  const customers = referred === 1 ? '1 customer' : `${formatCount(referred)} customers`;
  return (
    <Details
      narrow
      of={{
        'Referred by': referral && <CustomerLink id={referral.referrerCustomerId} />,
        'With code': referral && <CodeLink code={referral.code} />,
        Status: referral && (
          <span className="row">
            <StatusBadge of={REFERRAL_STATUS[referral.status]} />
            <Time at={referral.convertedAt ?? referral.createdAt} />
          </span>
        ),
        'Own codes': codes.total > 0 ? <Rows total={codes.total}>{ownCodes}</Rows> : null,
        Referred: codes.total > 0 ? `${customers}, ${formatCount(converted)} converted` : null,
        Credits: credits.total > 0 ? <Rows total={credits.total}>{earned}</Rows> : null,
      }}
    />
  );
}

const Rows = ({ total, children }: { readonly total: number; readonly children: readonly ReactNode[] }) => (
  <ul className="stack-s">
    {children}
    {total > children.length && <li className="muted">and {formatCount(total - children.length)} more</li>}
  </ul>
);
