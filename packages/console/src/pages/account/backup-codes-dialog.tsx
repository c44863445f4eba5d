import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';

interface BackupCodesDialogProps {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}

/** New backup codes, which are shown once. */
export function BackupCodesDialog({ codes, onClose }: BackupCodesDialogProps) {
  return (
    <Dialog title="Your backup codes" done="I have saved them" onClose={onClose}>
      <p>
        Each of them signs you in once in place of a code of your app, for example when you have lost your phone. Keep
        them where you keep your passwords: they are shown only now.
      </p>
      <Snippet label="Backup codes" text={codes.join('\n')} />
    </Dialog>
  );
}
