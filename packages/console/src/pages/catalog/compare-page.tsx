import type { Sync } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { Card, Page } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { RunLead, StopButton } from '../syncs/run.tsx';
import { isOpen, totalsOf } from '../syncs/sync-counts.ts';
import { Findings } from '../syncs/sync-findings.tsx';
import { SyncProgress } from '../syncs/sync-progress.tsx';
import { RUNNING_MS } from '../syncs/use-newest-syncs.ts';
import { CompareForm, type Compared, type Document } from './compare-form.tsx';
import { Refusal } from './refusal.tsx';

/** Compares the catalog with a file or another project, and makes it so. */
export function ComparePage() {
  const [compared, setCompared] = useState<Compared>();
  return (
    <Page
      title="Compare the catalog"
      lead="What this project sells, beside a document: a file of your repository, or what another project sells. Comparing changes nothing."
      up={{ page: 'products', title: 'Products' }}
    >
      <Card>
        <CompareForm onCompared={setCompared} />
      </Card>
      {compared && <Run key={compared.sync.id} {...compared} onApplied={sync => setCompared({ ...compared, sync })} />}
    </Page>
  );
}

interface RunProps extends Compared {
  readonly onApplied: (sync: Sync) => void;
}

/** A report with what it has found, and the button that applies exactly that; or how far an apply is. */
function Run({ sync: started, document, onApplied }: RunProps) {
  const { billing, key } = useProject();
  const { data: sync = started } = useQuery({
    queryKey: key('syncs', started.id),
    queryFn: ({ signal }) => billing.syncs.get(started.id, { signal }),
    refetchInterval: ({ state }) => (isOpen(state.data) ? RUNNING_MS : false),
  });
  const isRunning = isOpen(sync);
  const isReport = sync.mode === 'report';
  return (
    <>
      <Card
        title={isReport ? 'What differs' : 'What is applied'}
        lead={<RunLead run={sync} />}
        actions={isRunning && <StopButton of="sync" id={sync.id} />}
      >
        {isRunning ? <SyncProgress sync={sync} /> : <Outcome sync={sync} document={document} onApplied={onApplied} />}
      </Card>
      {!isRunning && <Findings sync={sync} />}
    </>
  );
}

interface OutcomeProps {
  readonly sync: Sync;
  readonly document: Document;
  readonly onApplied: (sync: Sync) => void;
}

function Outcome({ sync, document, onApplied }: OutcomeProps) {
  const { billing, key } = useProject();
  const apply = useWrite({
    write: () => billing.catalog.apply({ catalog: document, mode: 'apply', reportId: sync.id }),
    stale: [key('syncs')],
    onDone: onApplied,
  });
  const { found, applied } = totalsOf(sync);
  if (sync.mode === 'apply')
    return (
      <p role="status">
        {applied} applied{found > applied && `; ${found - applied} left as they are, each for the reason beside it`}.
      </p>
    );
  if (sync.status !== 'completed' || found === 0)
    return <p role="status">{sync.status === 'completed' && 'The catalog equals the document.'}</p>;
  return (
    <div className="stack">
      <p>Applying does what stands below, here and in Stripe, and nothing else. Subscriptions stay on their prices.</p>
      <Refusal error={apply.error} />
      <div className="row">
        <Button kind="primary" busy={apply.isPending} onClick={() => apply.mutate()}>
          Apply this report
        </Button>
      </div>
    </div>
  );
}
