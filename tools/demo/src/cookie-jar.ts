/** The cookies of one host, as a browser would keep them for as long as it runs. */
export interface CookieJar {
  /** Keeps what an answer sets, and drops what it takes away. */
  keep(response: Response): void;
  /** The `Cookie` header of the next request. */
  header(): string;
}

/** An empty jar. Paths and expiry dates are not looked at: the gateway's cookies hold for its whole host. */
export function openCookieJar(): CookieJar {
  const cookies = new Map<string, string>();
  return {
    keep(response) {
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
