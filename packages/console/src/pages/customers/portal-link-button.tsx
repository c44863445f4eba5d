import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { Button } from '#ui/button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormProblem } from '#ui/form.tsx';
import { SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';

/** Makes a link to the customer's portal and shows it once. */
export function PortalLinkButton({ customerId }: { readonly customerId: string }) {
  const { billing } = useProject();
  const [open, setOpen] = useState(false);
  const create = useMutation({ mutationFn: () => billing.portal.create({ customerId }) });
  const start = () => {
    setOpen(true);
    create.mutate();
  };
  return (
    <>
      <Button icon="external" onClick={start}>
        Portal link
      </Button>
      {open && (
        <Dialog title="Portal link" onClose={() => setOpen(false)}>
          <FormProblem error={create.error} />
          {create.isPending && <SkeletonLines lines={2} />}
          {create.data && (
            <>
              <p className="muted">
                Whoever has the link sees and changes the billing of this customer until{' '}
                <Time at={create.data.expiresAt} show="time" />. It is shown only now.
              </p>
              <Snippet label="Portal link" text={create.data.portalUrl} />
              <div className="dialog-actions">
                <a className="button" href={create.data.portalUrl} target="_blank" rel="noopener noreferrer">
                  Open it
                </a>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}
