import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { sessionPause } from '#api/session-pause.ts';
import { EntryCard } from '#pages/sign-in/entry-card.tsx';
import { CodeForm, SignInForm } from '#pages/sign-in/entry-forms.tsx';
import { Button } from '#ui/button.tsx';

interface SessionEndedProps {
  readonly onEntered: () => Promise<void>;
  /** Gives up what is written. */
  readonly onLeave: () => Promise<void>;
}

/** Covers a page whose reader has written in a form when the session ends, until the same reader signs in. */
export const SessionEnded = (actions: SessionEndedProps) =>
  useSyncExternalStore(sessionPause.subscribe, sessionPause.current) &&
  createPortal(<SignInAgain {...actions} />, document.body);

function SignInAgain({ onEntered, onLeave }: SessionEndedProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const [asksCode, setAsksCode] = useState(false);
  useEffect(() => {
    const [focused, { title }] = [document.activeElement, document];
    ref.current?.showModal();
    return () => {
      document.title = title;
      if (focused instanceof HTMLElement) focused.focus();
    };
  }, []);
  return (
    <dialog ref={ref} className="session-ended" aria-label="Sign in again" onCancel={event => event.preventDefault()}>
      <EntryCard
        title={asksCode ? 'Enter your code' : 'Sign in'}
        lead="Your session has ended. Sign in, and you go on where you were: what you have written is still there, but for passwords and secrets. It was not sent."
      >
        {asksCode ? (
          <CodeForm label="Code" hint="Or one of your backup codes, each of which works once." onEntered={onEntered} />
        ) : (
          <SignInForm onCode={() => setAsksCode(true)} onEntered={onEntered} />
        )}
        <Button kind="quiet" small onClick={() => void onLeave()}>
          Leave the page, and what is written
        </Button>
      </EntryCard>
    </dialog>
  );
}
