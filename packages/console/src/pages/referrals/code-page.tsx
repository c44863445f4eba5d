import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { Card, Page } from '#layout/page.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { EmptyState, ErrorState, SkeletonLines } from '#ui/states.tsx';
import { REFERRAL_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { CustomerLink, CustomerName } from '../customers/customer-name.tsx';
import { CodeStatus } from './code-link.tsx';

const UP = { page: 'referrals', title: 'Referrals' } as const;

/** A code and who came by it. */
export function CodePage() {
  const { billing, key } = useProject();
  const { code = '' } = useParams({ strict: false });
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: key('referral-codes', code),
    queryFn: ({ signal }) => billing.referrals.getCode(code, {}, { signal }),
  });
  const deactivate = useMutation({
    mutationFn: () => billing.referrals.deactivateCode(code),
    onSuccess: () => {
      setAsking(false);
      toasts.done('The code is inactive.');
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: key('referral-codes') }),
  });
  if (error && !data)
    return (
      <Page title={code} up={UP}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (!data)
    return (
      <Page title={code} up={UP}>
        <SkeletonLines />
      </Page>
    );
  return (
    <Page
      title={code}
      lead={
        <>
          Code of <CustomerName id={data.code.customerId} />, made <Time at={data.code.createdAt} />
        </>
      }
      up={UP}
      actions={
        data.code.isActive ? (
          <Button onClick={() => setAsking(true)}>Deactivate</Button>
        ) : (
          <CodeStatus code={data.code} />
        )
      }
    >
      <Card title={`Referred customers: ${data.pagination.total}`} flush>
        {data.referrals.length === 0 && (
          <EmptyState icon="referrals" title="Nobody yet">
            Who signs up with this code appears here.
          </EmptyState>
        )}
        <ul className="people">
          {data.referrals.map(({ id, refereeCustomerId, status, createdAt, convertedAt }) => (
            <li key={id}>
              <span className="grow truncate">
                <CustomerLink id={refereeCustomerId} />
              </span>
              <StatusBadge of={REFERRAL_STATUS[status]} />
              <Time at={convertedAt ?? createdAt} />
            </li>
          ))}
        </ul>
      </Card>
      {asking && (
        <ConfirmDialog
          title="Deactivate the code"
          action="Deactivate"
          busy={deactivate.isPending}
          error={deactivate.error}
          onConfirm={() => deactivate.mutate()}
          onClose={() => setAsking(false)}
        >
          Nobody can use it any more. Referrals that are pending stay, and can still convert.
        </ConfirmDialog>
      )}
    </Page>
  );
}
