import type { Grant } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { featuresQuery, grantsQuery } from '#api/queries.ts';
import { DataTable } from '#layout/data-table.tsx';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time, useNow } from '#ui/time.tsx';
import { formatValue } from '../features/feature-words.ts';
import { featureColumn } from '../features/feature-name.tsx';
import { GrantDialog } from './grant-dialog.tsx';

/** The dialog that is open: without `grant` it gives another feature. */
type Open = { readonly dialog: 'give' | 'remove'; readonly grant?: Grant };

/** What a customer was given by hand, to be given, changed and taken back. */
export function GrantsCard({ customerId }: { readonly customerId: string }) {
  const scope = useProject();
  const query = useQuery(grantsQuery(scope, customerId));
  const defined = useQuery(featuresQuery(scope));
  const [open, setOpen] = useState<Open>();
  const now = useNow();
  const waiting = [query, defined].find(({ data }) => data === undefined);
  const { data: grants = [] } = query;
  const { data: features = [] } = defined;
  const featureOf = new Map(features.map(feature => [feature.key, feature]));
  const givable = features.filter(({ isActive }) => isActive);
  const close = () => setOpen(undefined);
  return (
    <Card
      title="Given by hand"
      flush
      actions={
        !waiting &&
        givable.length > 0 && (
          <Button small icon="plus" onClick={() => setOpen({ dialog: 'give' })}>
            Give a feature
          </Button>
        )
      }
    >
      {waiting && <Loading query={waiting} flush lines={2} />}
      {!waiting && grants.length === 0 && (
        <EmptyState icon="features" title="Nothing given by hand">
          What this customer may use is what the subscriptions give.
        </EmptyState>
      )}
      {!waiting && grants.length > 0 && (
        <DataTable
          rows={grants}
          rowKey={({ key }) => key}
          columns={[
            featureColumn(features),
            { title: 'Value', cell: ({ key, value }) => <bdi>{formatValue(value, featureOf.get(key)?.type)}</bdi> },
            {
              title: 'Until',
              cell: ({ expiresAt }) =>
                expiresAt ? (
                  <>
                    <Time at={expiresAt} show="time" /> {new Date(expiresAt) <= now && <Badge>Over</Badge>}
                  </>
                ) : (
                  'No end'
                ),
            },
            { title: 'Note', cell: ({ note }) => note && <bdi>{note}</bdi> },
            {
              title: 'Actions',
              end: true,
              cell: grant => (
                <div className="row">
                  {featureOf.has(grant.key) && (
                    <Button small onClick={() => setOpen({ dialog: 'give', grant })}>
                      Change
                    </Button>
                  )}
                  <Button small onClick={() => setOpen({ dialog: 'remove', grant })}>
                    Take back
                  </Button>
                </div>
              ),
            },
          ]}
        />
      )}
      {open?.dialog === 'give' && (
        <GrantDialog
          customerId={customerId}
          features={open.grant ? features : givable}
          grants={grants}
          changed={open.grant}
          onClose={close}
        />
      )}
      {open?.dialog === 'remove' && open.grant && (
        <TakeBack
          customerId={customerId}
          featureKey={open.grant.key}
          name={featureOf.get(open.grant.key)?.name ?? open.grant.key}
          onClose={close}
        />
      )}
    </Card>
  );
}

interface TakeBackProps {
  readonly customerId: string;
  readonly featureKey: string;
  /** Of the feature. */
  readonly name: string;
  readonly onClose: () => void;
}

function TakeBack({ customerId, featureKey, name, onClose }: TakeBackProps) {
  const { billing, key } = useProject();
  const remove = useWrite({
    write: () => billing.grants.remove(customerId, featureKey),
    stale: [key('grants', customerId), key('state', customerId)],
    done: 'The grant is taken back.',
    onDone: onClose,
  });
  return (
    <ConfirmDialog title="Take the grant back" action="Take back" write={remove} onClose={onClose}>
      The customer has of <bdi>{name}</bdi> only what the subscriptions give, at once.
    </ConfirmDialog>
  );
}
