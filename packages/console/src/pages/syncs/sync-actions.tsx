import type { Sync } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useOpenPage } from '#layout/project-link.tsx';
import { useWrite } from '#layout/use-write.ts';
import { DialogButton } from '#resource/dialog-button.tsx';
import { Button } from '#ui/button.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { newestReport } from './apply-plan.ts';
import { StopButton } from './run.tsx';
import { isOpen } from './sync-counts.ts';
import { ACCOUNT_TYPES } from './types.ts';

/** Buttons that start a sync of everything, or stop the one that runs. They have their room before the syncs are loaded. */
export function SyncActions({ syncs }: { readonly syncs: readonly Sync[] | undefined }) {
  const { billing, key } = useProject();
  const open = useOpenPage();
  const start = useWrite({
    write: () => billing.syncs.create({ mode: 'report' }),
    stale: [key('syncs')],
    failed: 'The account was not compared.',
    onDone: ({ id }) => open(`settings/syncs/${id}`),
  });
  const running = syncs?.find(isOpen);
  if (running) return <StopButton of="sync" id={running.id} />;
  const report = newestReport(syncs ?? [], ACCOUNT_TYPES);
  return (
    <div className="row">
      <Button disabled={!syncs} busy={start.isPending} onClick={() => start.mutate()}>
        Compare
      </Button>
      <DialogButton disabled={!syncs} dialog={<ApplyDialog report={report} wanted={{}} />}>
        Apply…
      </DialogButton>
    </div>
  );
}
