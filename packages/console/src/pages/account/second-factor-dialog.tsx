import { useState } from 'react';
import { encode } from 'uqr';
import { auth, type SecondFactor } from '#api/auth.ts';
import { sessionQuery } from '#api/client.ts';
import { PasswordDialog } from '#layout/password-dialog.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Snippet } from '#ui/copy.tsx';
import { Dialog } from '#ui/dialog.tsx';
import { TextField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
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
    write: (fields: FormData) => auth.verifyCode(textOf(fields, 'code')),
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

/** What a camera needs to see the code, in modules. */
const BORDER = 2;

/** A text as a QR code: dark on white in both schemes, as cameras want it. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: BORDER });
  const modules = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={modules.join('')} />
    </svg>
  );
}

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
