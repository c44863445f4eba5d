const KEY = 'session-changed';

/** Tells the other tabs of this browser that someone has signed in or out. */
export const tellOtherTabs = (): void => localStorage.setItem(KEY, String(Date.now()));

/** Calls `listener` when someone signs in or out in another tab. */
export const onSessionOfOtherTab = (listener: () => void): void =>
  addEventListener('storage', ({ key }) => {
    if (key === KEY) listener();
  });
