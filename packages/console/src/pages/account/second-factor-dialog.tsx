import { useState } from 'react';
import { auth, type SecondFactor } from '#api/auth.ts';
import { sessionQuery } from '#api/client.ts';
import { useWrite } from '#layout/use-write.ts';
import { Snippet } from '#ui/copy.tsx';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { BackupCodesDialog } from './backup-codes-dialog.tsx';
import { QrCode } from './qr-code.tsx';
import { PasswordDialog } from '#layout/password-dialog.tsx';
import { SESSIONS } from './sessions-card.tsx';

/** Sets up a second factor: the password, the key for the app, a code of the app, and the backup codes. */
export function SecondFactorDialog({ onClose }: { readonly onClose: () => void }) {
  const [isVerified, setIsVerified] = useState(false);
  const begin = useWrite({ write: auth.enableSecondFactor, stale: [] });
  if (begin.data && isVerified) return <BackupCodesDialog codes={begin.data.backupCodes} onClose={onClose} />;
  if (begin.data) return <CodeDialog factor={begin.data} onVerified={() => setIsVerified(true)} onClose={onClose} />;
  return (
    <PasswordDialog title="Set up a second factor" action="Continue" write={begin} onClose={onClose}>
      You need an authenticator app, on your phone or in your password manager.
    </PasswordDialog>
  );
}

/** Writes a key so that it can be read out: four letters at a time, four times a line. */
const inGroups = (secret: string): string => secret.replaceAll(/.{4}(?=.)/g, '$& ').replaceAll(/(.{19}) /g, '$1\n');

interface CodeDialogProps {
  readonly factor: SecondFactor;
  readonly onVerified: () => void;
  readonly onClose: () => void;
}

function CodeDialog({ factor: { totpURI }, onVerified, onClose }: CodeDialogProps) {
  const verify = useWrite({
    write: (fields: FormData) => auth.verifyCode(textOf(fields, 'code').replaceAll(' ', '')),
    stale: [sessionQuery.queryKey, SESSIONS],
    done: 'Sign-in now asks for a code.',
    onDone: onVerified,
  });
  const secret = new URL(totpURI).searchParams.get('secret') ?? '';
  return (
    <FormDialog
      title="Add this account to your app"
      lead={
        <>
          <p>
            Scan this code with your authenticator app, or <a href={totpURI}>open it in the app</a> on this device. The
            app also takes this key, for codes by time:
          </p>
          <QrCode text={totpURI} label="QR code of the account" />
          <Snippet label="Key" text={inGroups(secret)} />
        </>
      }
      action="Turn on"
      write={verify}
      onClose={onClose}
    >
      <TextField
        label="Code"
        name="code"
        inputMode="numeric"
        pattern="[0-9 ]{6,7}"
        autoComplete="one-time-code"
        required
        hint="The six digits that the app shows for it."
      />
    </FormDialog>
  );
}
