import { focusManager } from '@tanstack/react-query';
import { queryClient } from './client.ts';
import { forgetSecrets } from './filled-forms.ts';

let isPaused = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  isPaused = next;
  // While nobody is signed in, no page loads anything again.
  focusManager.setFocused(next ? false : undefined);
  for (const listener of listeners) listener();
}

/**
 * Whether the page waits, unseen, for its reader to sign in again, with what they have written in its form. Only this page in
 * this tab has that; nothing is stored.
 */
export const sessionPause = {
  subscribe: (onChange: () => void): (() => void) => {
    listeners.add(onChange);
    return () => listeners.delete(onChange);
  },
  current: (): boolean => isPaused,
  begin: (): void => {
    if (isPaused) return;
    forgetSecrets();
    set(true);
  },
  /** Shows the page again, and loads what it shows anew. */
  end: (): void => {
    if (!isPaused) return;
    set(false);
    void queryClient.invalidateQueries();
  },
};
