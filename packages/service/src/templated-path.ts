/** Returns a path for logs and traces: without the query, and with a placeholder for the portal's token. */
export function templatedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '/';
  return path.replace(/^((?:\/api)?\/portal\/)[^/]+/, '$1:token');
}
