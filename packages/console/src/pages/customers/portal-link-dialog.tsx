import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useProject } from '#api/project.ts';
import { useClose } from '#resource/dialog-button.tsx';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { FormProblem } from '#ui/form.tsx';
import { SkeletonLines } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';

interface PortalLinkDialogProps {
  readonly customerId: string;
  readonly email: string | null;
}

/** Makes a link to the customer's portal and shows it once, to be copied, opened or written about. */
export function PortalLinkDialog({ customerId, email }: PortalLinkDialogProps) {
  const { billing } = useProject();
  const onClose = useClose();
  const { data, error, isPending, mutate } = useMutation({ mutationFn: () => billing.portal.create({ customerId }) });
  useEffect(mutate, [mutate]);
  return (
    <Dialog title="Portal link" onClose={onClose}>
      <FormProblem error={error} />
      {isPending && <SkeletonLines lines={2} />}
      {data && (
        <>
          <p className="muted">
            Whoever has the link sees and changes the billing of this customer until{' '}
            <Time at={data.expiresAt} show="time" />. It is shown only now.
          </p>
          <Snippet label="Portal link" text={data.portalUrl} />
          <div className="dialog-actions">
            {email && (
              <a className="button" href={mailTo(email, data.portalUrl)}>
                Write an e-mail with it
              </a>
            )}
            <a className="button" href={data.portalUrl} target="_blank" rel="noopener noreferrer">
              Open it
            </a>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** A draft in the reader's own program for e-mail. */
const mailTo = (email: string, portalUrl: string): string =>
  `mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent('Your billing')}&body=${encodeURIComponent(portalUrl)}`;
