import type { Feature } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { useWrite } from '#layout/use-write.ts';
import { Button } from '#ui/button.tsx';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';

/** Deactivates a feature, which it asks before, or activates it again. */
export function FeatureSwitch({ feature: { key, name, isActive } }: { readonly feature: Feature }) {
  const scope = useProject();
  const [asking, setAsking] = useState(false);
  const change = useWrite({
    write: () => scope.billing.features.update(key, { isActive: !isActive }),
    stale: [scope.key('features')],
    done: `The feature is ${isActive ? 'inactive' : 'active'}.`,
    // The dialog shows why, where there is one.
    ...(!isActive && { failed: 'The feature was not activated.' }),
    onDone: () => setAsking(false),
  });
  return (
    <>
      <Button busy={!isActive && change.isPending} onClick={() => (isActive ? setAsking(true) : change.mutate())}>
        {isActive ? 'Deactivate' : 'Activate'}
      </Button>
      {asking && (
        <ConfirmDialog
          title="Deactivate the feature"
          action="Deactivate"
          write={change}
          onClose={() => setAsking(false)}
        >
          No customer may use <bdi>{name}</bdi> any more, at once. What products, prices and grants give of it is kept
          for when it is active again.
        </ConfirmDialog>
      )}
    </>
  );
}
