import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useProject } from '#api/project.ts';
import { LoadingPage } from '#layout/loading.tsx';
import { Card, Page } from '#layout/page.tsx';
import { DialogButton } from '#resource/dialog-button.tsx';
import { ConfirmWrite } from '#resource/write-dialogs.tsx';
import { EmptyState } from '#ui/states.tsx';
import { REFERRAL_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { Time } from '#ui/time.tsx';
import { CustomerLink, CustomerName } from '../customers/customer-name.tsx';
import { CodeStatus } from './code-link.tsx';

const UP = { page: 'referrals', title: 'Referrals' } as const;

/** A code and who came by it. */
export function CodePage() {
  const { billing, key } = useProject();
  const { code = '' } = useParams({ strict: false });
  const query = useQuery({
    queryKey: key('referral-codes', code),
    queryFn: ({ signal }) => billing.referrals.getCode(code, {}, { signal }),
  });
  const { data } = query;
  if (!data) return <LoadingPage query={query} title={code} up={UP} />;
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
          <DialogButton dialog={<DeactivateDialog code={code} />}>Deactivate</DialogButton>
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
    </Page>
  );
}

function DeactivateDialog({ code }: { readonly code: string }) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Deactivate the code"
      action="Deactivate"
      write={() => billing.referrals.deactivateCode(code)}
      stale={[key('referral-codes')]}
      done="The code is inactive."
    >
      Nobody can use it any more. Referrals that are pending stay, and can still convert.
    </ConfirmWrite>
  );
}
