import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auth } from '#api/auth.ts';
import { sessionQuery } from '#api/client.ts';
import { Card } from '#layout/page.tsx';
import { useWrite } from '#layout/use-write.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { BackupCodesDialog } from './second-factor-dialog.tsx';
import { PasswordDialog } from '#layout/password-dialog.tsx';
import { SecondFactorDialog } from './second-factor-dialog.tsx';
import { SESSIONS } from './sessions-card.tsx';

/** A code of an authenticator app that sign-in asks for after the password. */
export function SecondFactorCard() {
  const { data: current } = useQuery(sessionQuery);
  const [dialog, setDialog] = useState<'set-up' | 'codes' | 'remove'>();
  const close = () => setDialog(undefined);
  const isOn = current?.user.twoFactorEnabled === true;
  return (
    <Card
      title="Second factor"
      lead="Sign-in then asks for a code of an authenticator app as well."
      actions={isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
    >
      <div className="row">
        {isOn ? (
          <>
            <Button onClick={() => setDialog('codes')}>New backup codes…</Button>
            <Button onClick={() => setDialog('remove')}>Remove…</Button>
          </>
        ) : (
          <Button onClick={() => setDialog('set-up')}>Set up…</Button>
        )}
      </div>
      {dialog === 'set-up' && <SecondFactorDialog onClose={close} />}
      {dialog === 'codes' && <RenewCodes onClose={close} />}
      {dialog === 'remove' && <Remove onClose={close} />}
    </Card>
  );
}

function RenewCodes({ onClose }: { readonly onClose: () => void }) {
  const renew = useWrite({ write: auth.renewBackupCodes, stale: [] });
  if (renew.data) return <BackupCodesDialog codes={renew.data.backupCodes} onClose={onClose} />;
  return (
    <PasswordDialog title="New backup codes" action="Make new codes" write={renew} onClose={onClose}>
      The backup codes that you have stop working.
    </PasswordDialog>
  );
}

function Remove({ onClose }: { readonly onClose: () => void }) {
  const remove = useWrite({
    write: auth.disableSecondFactor,
    stale: [sessionQuery.queryKey, SESSIONS],
    done: 'The second factor is removed.',
    onDone: onClose,
  });
  return (
    <PasswordDialog title="Remove the second factor" action="Remove" write={remove} onClose={onClose}>
      Your password alone then signs in to your account. Your backup codes stop working.
    </PasswordDialog>
  );
}
