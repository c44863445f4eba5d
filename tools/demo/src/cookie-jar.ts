/** The session cookies of one host. */
export interface CookieJar {
  /** Applies the `Set-Cookie` headers of a response. */
  save(response: Response): void;
  /** Returns the `Cookie` header of the next request. */
  header(): string;
}

/** Returns an empty jar. It ignores paths and expiry dates: the gateway's cookies are valid for its whole host. */
export function openCookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  return {
    save(response) {
      for (const line of response.headers.getSetCookie()) {
        const [pair = '', ...attributes] = line.split(';').map(it => it.trim());
        const [name = '', ...value] = pair.split('=');
        if (attributes.some(it => it.toLowerCase() === 'max-age=0')) cookies.delete(name);
        else cookies.set(name, value.join('='));
      }
    },
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  };
}
