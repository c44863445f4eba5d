import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A new secret of an endpoint, which is shown once. */
export const SecretDialog = ({ title, secret, onClose }: SecretDialogProps) => (
  <Dialog title={title} done="I have copied it" onClose={onClose}>
    <p>
      Copy the secret now: it is shown only this once. With it your system checks that an event comes from here, as the
      page of the endpoint shows.
    </p>
    <Snippet label="Secret" text={secret} />
  </Dialog>
);
