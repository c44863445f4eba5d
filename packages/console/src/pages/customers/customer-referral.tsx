import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatCount } from '#ui/amount.ts';
import { formatMoney } from '#ui/money.ts';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { CREDIT_STATUS, REFERRAL_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CodeLink, CodeStatus } from '../referrals/code-link.tsx';
import { earnedBy } from '../referrals/earned-by.ts';
import { CustomerLink } from './customer-name.tsx';
import { referralQuery, type CustomerReferrals } from './referral-query.ts';

/** Who referred a customer, whom they referred with their own codes, and what that earned them. */
export function CustomerReferral({ customerId }: { readonly customerId: string }) {
  const { data, error, refetch } = useQuery(referralQuery(useProject(), customerId));
  return (
    <Card title="Referral">
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonLines lines={3} />}
      {data && <Referrals {...data} />}
    </Card>
  );
}

function Referrals({ referral, codes, credits, referred, converted }: CustomerReferrals) {
  if (!referral && codes.total === 0 && credits.total === 0)
    return (
      <p className="muted">
        Nobody referred this customer; give them a code under <ProjectLink page="referrals">Referrals</ProjectLink>, and
        who signs up with it is counted here.
      </p>
    );
  return (
    <dl className="details narrow">
      {referral && (
        <>
          <dt>Referred by</dt>
          <dd>
            <CustomerLink id={referral.referrerCustomerId} />
          </dd>
          <dt>With code</dt>
          <dd>
            <CodeLink code={referral.code} />
          </dd>
          <dt>Status</dt>
          <dd className="row">
            <StatusBadge of={REFERRAL_STATUS[referral.status]} />
            <Time at={referral.convertedAt ?? referral.createdAt} />
          </dd>
        </>
      )}
      {codes.total > 0 && (
        <>
          <dt>Own codes</dt>
          <Rows total={codes.total}>
            {codes.items.map(code => (
              <li key={code.code} className="row">
                <CodeLink code={code.code} />
                <CodeStatus code={code} />
              </li>
            ))}
          </Rows>
          <dt>Referred</dt>
          <dd>
            {referred === 1 ? '1 customer' : `${formatCount(referred)} customers`}, {formatCount(converted)} converted
          </dd>
        </>
      )}
      {credits.total > 0 && (
        <>
          <dt>Credits</dt>
          <Rows total={credits.total}>
            {credits.items.map(credit => (
              <li key={credit.id} className="row">
                <span>
                  <span className="num">{formatMoney(credit.amount, credit.currency)}</span> for {earnedBy(credit)}
                </span>
                <StatusBadge of={CREDIT_STATUS[credit.status]} />
              </li>
            ))}
          </Rows>
        </>
      )}
    </dl>
  );
}

function Rows({ total, children }: { readonly total: number; readonly children: readonly ReactNode[] }) {
  return (
    <dd>
      <ul className="stack-s">
        {children}
        {total > children.length && <li className="muted">and {formatCount(total - children.length)} more</li>}
      </ul>
    </dd>
  );
}
