let look = (): Promise<void> => Promise.resolve();

/** Has `listener` look whether the session has ended whenever a response says that its caller must sign in. */
export const onUnauthorized = (listener: () => Promise<void>): void => void (look = listener);

/** Every request of the console: like `fetch`, and a 401 is looked into before its caller sees it. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.status === 401) await look();
  return response;
};
