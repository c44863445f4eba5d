import { createContext, use, useCallback, useState, type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { auth } from '#api/auth.ts';
import { hasCode } from '#api/failure.ts';
import { PasswordDialog } from './password-dialog.tsx';

/** Runs a call; when it needs a recent password, asks for that and runs it once more. */
type WithFreshSession = <Result>(call: () => Promise<Result>) => Promise<Result>;

const Context = createContext<WithFreshSession>(call => call());

export function FreshSessionProvider({ children }: { readonly children: ReactNode }) {
  const [asking, setAsking] = useState<PromiseWithResolvers<void>>();
  const run = useCallback<WithFreshSession>(async call => {
    try {
      return await call();
    } catch (error) {
      if (!hasCode(error, 'reauthentication_required')) throw error;
      const password = Promise.withResolvers<void>();
      setAsking(password);
      await password.promise;
      return await call();
    }
  }, []);
  return (
    <Context value={run}>
      {children}
      {asking && <FreshSessionDialog asking={asking} onClose={() => setAsking(undefined)} />}
    </Context>
  );
}

export const useFreshSession = (): WithFreshSession => use(Context);

interface FreshSessionDialogProps {
  readonly asking: PromiseWithResolvers<void>;
  readonly onClose: () => void;
}

function FreshSessionDialog({ asking, onClose }: FreshSessionDialogProps) {
  const check = useMutation({
    mutationFn: auth.verifyPassword,
    onSuccess: () => {
      onClose();
      asking.resolve();
    },
  });
  const giveUp = () => {
    onClose();
    asking.reject(new Error('This needs your password.'));
  };
  return (
    <PasswordDialog title="Enter your password" action="Continue" write={check} onClose={giveUp}>
      What you are about to do needs a password that was checked within 15 minutes.
    </PasswordDialog>
  );
}
