/** A path as it may stand in logs and traces: without query, and with the portal's token taken out. */
export function templatedPath(url: string): string {
  const path = url.split('?', 1)[0] ?? '/';
  return path.replace(/^((?:\/api)?\/portal\/)[^/]+/, '$1:token');
}
