const filled = new WeakSet<HTMLFormElement>();

/** Notes which forms the reader has written in. */
export function watchForms(): void {
  document.addEventListener('input', ({ target }) => {
    const form = target instanceof Element ? target.closest('form') : null;
    if (form) filled.add(form);
  });
}

/** Whether the page has a form that the reader has written in. */
export const hasFilledForm = (): boolean => [...document.forms].some(form => filled.has(form));

/** Empties every field of a password or another secret: none of them outlives a session. */
export function forgetSecrets(): void {
  const SECRETS = 'input:is([type=password], [autocomplete*=password], [autocomplete=one-time-code], [name*=secret i])';
  for (const input of document.querySelectorAll<HTMLInputElement>(SECRETS)) input.value = '';
}
